import { Option } from 'commander';

/** An option that may be given several times; absent when it never is. */
export function repeatable(flags: string, description: string): Option {
  return new Option(flags, description).argParser((value: string, earlier: string[] = []) => [
    ...earlier,
    value,
  ]);
}

/** Which workspace a command is about. */
export function workspaceOption(): Option {
  return new Option('--workspace <id or name>', 'needed only when there are several workspaces');
}
