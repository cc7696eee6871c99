import type { FolderTree, GatheredFolder } from './full-text-index.ts';
import { below } from './terms.ts';

/** The shared folders below which the index may have gathered something. */
export function rootsOf(trees: readonly FolderTree[]): string[] {
  return trees.filter(({ length }) => length > 1).map(rootOf);
}

/**
 * The principals that find what lies in trees of folders. One for a shared folder and one for all that is gathered below it,
 * whatever the number of folders there is; one more for each folder of which not all is gathered yet, because it was shared or
 * moved a moment ago. `gathered` is read with the objects in one transaction: between two, the index may let go of it.
 */
export function principalsOfTrees(
  trees: readonly FolderTree[],
  gathered: readonly GatheredFolder[],
): string[] {
  const byRoot = Map.groupBy(gathered, ({ root }) => root);
  return trees.flatMap((tree) => principalsOfTree(tree, byRoot.get(rootOf(tree)) ?? []));
}

function principalsOfTree(tree: FolderTree, under: readonly GatheredFolder[]): string[] {
  const inTree = new Set(tree);
  // Were one of them elsewhere by now, the search would pass over what its user does not see.
  const isExact = under.length > 0 && under.every(({ folder }) => inTree.has(folder));
  if (!isExact) return [...tree];
  const whole = new Set(under.filter(({ isWhole }) => isWhole).map(({ folder }) => folder));
  return [below(rootOf(tree)), ...tree.filter((id) => !whole.has(id))];
}

function rootOf([root = '']: FolderTree): string {
  return root;
}
