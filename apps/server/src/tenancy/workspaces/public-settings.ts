import type { Workspace, WorkspaceSettings } from './workspace.ts';

/**
 * Settings without secrets, for display: a private key and a proxy's password are replaced by `[set]`.
 */
function publicSettings(settings: WorkspaceSettings): object {
  if (settings.webhook === undefined) return settings;
  const { clientKeyPem, proxy, ...webhook } = settings.webhook;
  return {
    ...settings,
    webhook: {
      ...webhook,
      ...(clientKeyPem === undefined ? {} : { clientKeyPem: '[set]' }),
      ...(proxy === undefined ? {} : { proxy: withoutPassword(proxy) }),
    },
  };
}

function withoutPassword(proxy: string): string {
  const url = new URL(proxy);
  return url.username === '' && url.password === '' ? proxy : `${url.protocol}//[set]@${url.host}`;
}

/** A workspace without its secrets, for display. */
export function publicWorkspace(workspace: Workspace): object {
  const { id, name, environment, owners, policyVersion, createdAtMs } = workspace;
  return {
    id,
    name,
    environment,
    owners,
    ...(policyVersion === undefined ? {} : { policyVersion }),
    createdAt: new Date(createdAtMs).toISOString(),
    settings: publicSettings(workspace.settings),
    channels: [...workspace.channels.values()],
  };
}
