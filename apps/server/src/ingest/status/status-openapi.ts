import { statusProblemResponses } from '../openapi-problems.ts';
import type { StatusRoute } from '../routes.ts';

const answered = {
  description: 'The status. `Warning` says so when the engine did not answer in time.',
  headers: Object.fromEntries(
    ['X-Request-Id', 'Ringfence-Lag', 'Warning'].map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  ),
  content: {
    'application/json': {
      schema: { $ref: '#/components/schemas/Status' },
      examples: {
        event: {
          summary: 'Of an event',
          value: {
            event: 'evt_1795256130_42',
            status: 'decided',
            fired: [{ reason: 302, name: 'Payments to many payees within minutes' }],
            suppressed: [],
            actions: [
              {
                action: 2,
                reason: 302,
                message: 'Your session was closed.',
                webhookId: 'act_k3x7q2ma_1795256130_42_302_0',
                state: 'executed',
                finishedAt: '2026-11-21T16:15:30.250Z',
              },
            ],
            session: { matched: true, active: false },
            client: { blocked: false },
          },
        },
        session: {
          summary: 'Of a session',
          value: { session: { active: true }, client: { blocked: false } },
        },
      },
    },
  },
};

/** The responses that only questions for a status have, by their names among the components. */
export const statusResponses: Readonly<Record<string, object>> = {
  Status: answered,
  ...Object.fromEntries(
    Object.entries(statusProblemResponses()).map(([status, response]) => [`Status${status}`, response]),
  ),
};

/** @param others statuses that have the same response as those of events */
export function statusOperation({ path, environment }: StatusRoute, others: readonly string[]): object {
  const surface = path.includes('/web/') ? 'web' : 'app';
  const response = (name: string): object => ({ $ref: `#/components/responses/${name}` });
  const own = Object.keys(statusProblemResponses()).map((status) => [status, response(`Status${status}`)]);
  return {
    operationId: `${environment}-${surface}-status`,
    summary: `Ask for a status (${surface}${environment === 'development' ? ', development' : ''})`,
    description:
      'The decision about an event with its actions and their states, and whether its session is active and its client blocked now. Counts in the rate of the license key.',
    tags: [environment === 'production' ? 'Production' : 'Development'],
    parameters: [{ $ref: '#/components/parameters/RequestId' }],
    requestBody: {
      required: true,
      description: 'At most 64 KiB, in UTF-8.',
      content: {
        'application/json': {
          schema: { $ref: '#/components/schemas/StatusRequest' },
          examples: {
            event: { summary: 'An event', value: { event: 'evt_1795256130_42' } },
            reference: {
              summary: 'The newest operation with a reference',
              value: { user: 'client-000123', reference: 'REF-0001187' },
            },
            session: {
              summary: 'A session',
              value: { user: 'client-000123', session: '3f0c2c1e-7a34-4c58-9a41-6f8f0f5f2a11', channelId: 1 },
            },
          },
        },
      },
    },
    responses: Object.fromEntries([
      ['200', response('Status')],
      ...others.map((status) => [status, response(status)]),
      ...own,
    ]),
  };
}
