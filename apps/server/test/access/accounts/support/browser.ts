import type { LightMyRequestResponse } from 'fastify';
import { documentedAnswer } from '../../../api/support/documented-answer.ts';
import type { Call, ManagementKit } from '../../../api/support/management-kit.ts';

/** A person's browser window: it keeps the cookie, and sends the CSRF token with every change. */
export interface Browser {
  readonly cookie: string | undefined;
  readonly csrf: string | undefined;
  call(method: string, path: string, call?: Call): Promise<LightMyRequestResponse>;
}

export function browser(kit: Pick<ManagementKit, 'app'>): Browser {
  let cookie: string | undefined;
  let csrf: string | undefined;
  return {
    get cookie() {
      return cookie;
    },
    get csrf() {
      return csrf;
    },
    call: async (method, path, { body, headers = {}, remoteAddress } = {}) => {
      const response = await kit.app.inject({
        method: method as 'GET',
        url: `/management/v1${path}`,
        headers: {
          host: 'console.example',
          ...(cookie === undefined ? {} : { cookie }),
          ...(method === 'GET'
            ? {}
            : { origin: 'https://console.example', ...(csrf === undefined ? {} : { 'x-csrf-token': csrf }) }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
        ...(remoteAddress === undefined ? {} : { remoteAddress }),
      });
      documentedAnswer(method, path, response);
      const set = response.headers['set-cookie'];
      if (typeof set === 'string') cookie = set.includes('Max-Age=0') ? undefined : set.split(';', 1)[0];
      const isJson = String(response.headers['content-type']).startsWith('application/json');
      if (response.statusCode < 300 && isJson) csrf = response.json<{ csrfToken?: string }>().csrfToken ?? csrf;
      return response;
    },
  };
}

export const password = 'correct horse battery staple';

/** Creates an account with these roles in the scene's workspace, or in all of them, and logs it in. */
export async function loggedIn(
  kit: ManagementKit,
  person: { readonly email: string; readonly roles: readonly string[]; readonly workspace?: string },
): Promise<Browser> {
  const { email, roles, workspace = kit.workspace.id } = person;
  const made = await kit.call('POST', '/accounts', {
    body: { email, name: email.split('@', 1)[0], roles: [{ workspace, roles }] },
  });
  const { token } = made.json<{ invitation: { token: string } }>().invitation;
  const window = browser(kit);
  await window.call('POST', '/session/invitation', { body: { token, password } });
  const entered = await window.call('POST', '/session', { body: { email, password } });
  if (entered.statusCode !== 201) throw new Error(`not logged in: ${entered.body}`);
  return window;
}
