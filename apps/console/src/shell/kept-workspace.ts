const kept = 'ringfence.workspace';

/** The workspace that was open last in this browser. */
export function keptWorkspace(): string | null {
  return localStorage.getItem(kept);
}

export function keepWorkspace(name: string): void {
  localStorage.setItem(kept, name);
}
