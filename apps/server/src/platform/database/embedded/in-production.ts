/** What a start and `doctor` say when an installation sends real actions from the embedded database. */
export const embeddedInProduction = {
  detail:
    'the embedded database serves a live production workspace: its package brings old libraries that get no fixes, OpenSSL 1.1.1 among them',
  mend: 'Use your own PostgreSQL, which your distribution keeps up to date: ringfence backup, then restore with DATABASE_URL. See "The embedded database" in docs/guides/security.md.',
};

interface Served {
  readonly environment: string;
  readonly settings: { readonly deliver: string };
}

/** Whether one of these workspaces on a database of this kind asks for that warning. */
export function isEmbeddedInProduction(kind: 'embedded' | 'external', workspaces: readonly Served[]): boolean {
  return (
    kind === 'embedded' &&
    workspaces.some(({ environment, settings }) => environment === 'production' && settings.deliver === 'live')
  );
}
