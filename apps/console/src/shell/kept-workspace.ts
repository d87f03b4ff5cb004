const kept = 'ringfence.workspace';

/** The last open workspace of this browser. */
export function keptWorkspace(): string | null {
  return localStorage.getItem(kept);
}

export function keepWorkspace(name: string): void {
  localStorage.setItem(kept, name);
}
