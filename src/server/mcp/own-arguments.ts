import type { ToolArguments } from '../../contract/agent-tool.ts';
import { refuse } from '../../contract/validation.ts';

/** Throws ApiError validation_failed for arguments that a tool does not have: it would act as if they were not there. */
export function refuseOthers(given: ToolArguments, names: readonly string[]): void {
  refuse(
    Object.entries(given)
      .filter(([name, value]) => value !== undefined && !names.includes(name))
      .map(([name]) => ({
        parameter: name,
        code: 'unknown_field',
        message: `There is no field ${JSON.stringify(name)} here. Give only ${names.join(', ')}.`,
      })),
  );
}
