/** What the drive of one user should be: plain objects, without any of the product. */
export interface ModelNode {
  name: string;
  kind: 'file' | 'folder';
  parent: ModelNode | undefined;
  /** Trashed itself. */
  trashed: boolean;
}

/** Whether neither the node nor anything above it is trashed. */
export function isActive(node: ModelNode): boolean {
  return !node.trashed && (node.parent === undefined || isActive(node.parent));
}

/** Whether a node is another, or somewhere below it. */
function isInside(node: ModelNode | undefined, other: ModelNode): boolean {
  return node !== undefined && (node === other || isInside(node.parent, other));
}

/** What is hidden with its folder is in the trash already, so it stays as it is. */
export function trash(node: ModelNode): void {
  if (isActive(node)) node.trashed = true;
}

export function restore(node: ModelNode): void {
  if (isActive(node)) return;
  node.trashed = false;
  if (node.parent && !isActive(node.parent)) node.parent = undefined;
}

/** Answers the code of the refusal, or undefined where the node was moved. */
export function move(node: ModelNode, parent: ModelNode | undefined): string | undefined {
  if (parent === node.parent) return undefined;
  if (isInside(parent, node)) return 'folder_cycle';
  if (parent && !isActive(parent)) return 'folder_trashed';
  node.parent = parent;
  return undefined;
}
