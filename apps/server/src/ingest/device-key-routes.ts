import { Problem } from '@ringfence/contract';
import type { FastifyPluginAsync } from 'fastify';
import { deviceKeySet } from '../tenancy/workspaces/device-keys.ts';
import type { WorkspaceRegistry } from '../tenancy/workspaces/workspace.ts';

/** How long a copy may be cached. After a rotation the previous key still decrypts, so a stale copy does no harm. */
const maxAgeSeconds = 300;

/**
 * Serves the public keys that device tokens are encrypted to, at `/device/v1/keys/<id of the workspace>`. The bank's
 * build or backend fetches them and serves them to its pages from its own origin. No license key: the keys are not
 * secret.
 */
export function deviceKeysPlugin(registry: Pick<WorkspaceRegistry, 'byId'>): FastifyPluginAsync {
  return async (app) => {
    app.get<{ Params: { workspace: string } }>('/device/v1/keys/:workspace', (request, reply) => {
      const workspace = registry.byId(request.params.workspace);
      if (workspace === undefined) {
        throw new Problem('thing.unknown', 'No workspace has this id. `ringfence workspace list` shows the ids.');
      }
      return reply
        .header('content-type', 'application/jwk-set+json')
        .header('cache-control', `public, max-age=${maxAgeSeconds}`)
        .header('x-content-type-options', 'nosniff')
        .send(Buffer.from(JSON.stringify(deviceKeySet(workspace))));
    });
  };
}
