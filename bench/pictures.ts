import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { parse, View } from 'vega';
import { compile, type TopLevelSpec } from 'vega-lite';

/** How pictures of the documentation look. */
export const CONFIG = {
  background: 'white',
  font: 'system-ui, sans-serif',
  view: { stroke: null },
  axis: { gridColor: '#eceef1', labelColor: '#1f2328', titleColor: '#57606a' },
};

/** Draws it into a file of SVG. */
export async function draw(path: string, spec: TopLevelSpec): Promise<void> {
  const view = new View(parse(compile(spec).spec), { renderer: 'none' });
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${await view.toSVG()}\n`);
}
