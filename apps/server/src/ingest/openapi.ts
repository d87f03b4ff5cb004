import {
  actionRequestSchema,
  actionResponseSchema,
  decidedAnswerSchema,
  type EventKind,
  eventSchemas,
  outcomeSchema,
  schemaExample,
  statusAnswerSchema,
  statusRequestSchema,
  waitSecondsMax,
} from '@ringfence/contract';
import { idempotencyParameter, replayedHeader } from './idempotency.ts';
import {
  doorProblemSchema,
  mayNotReportResponse,
  problemResponses,
  workspaceUnknownResponse,
} from './openapi-problems.ts';
import { type IngestRoute, ingestRoutes, type RequestKind, statusRoutes } from './routes.ts';
import { statusOperation, statusResponses } from './status/status-openapi.ts';

/**
 * The OpenAPI 3.1 document of the wire contract: three events and the reports of outcomes in, one webhook out, and questions for a status. The bodies are the schemas that the
 * service validates with; tests compare the documented responses with real ones.
 */
function openApiDocument(): object {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Ringfence',
      version: '5.0.0',
      summary: 'Fraud-prevention analytics: report events, receive actions.',
      description: introduction,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'This installation.' }],
    security: [{ licenseKey: [] }],
    tags: [
      { name: 'Production', description: 'Events of real clients.' },
      { name: 'Devices', description: 'For the pages of a bank that collect device data.' },
      { name: 'Webhook', description: 'What the bank serves: Ringfence calls it.' },
      { name: 'Development', description: 'The same for development and QA, with its own license key.' },
    ],
    paths: {
      ...Object.fromEntries(ingestRoutes.map((route) => [route.path, { post: requestOperation(route) }])),
      ...Object.fromEntries(
        statusRoutes.map((route) => [route.path, { post: statusOperation(route, sharedStatuses) }]),
      ),
      '/device/v1/keys/{workspace}': { get: deviceKeysOperation },
    },
    webhooks: { action: { post: webhookOperation } },
    components: {
      securitySchemes: {
        licenseKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'The license key of one environment: `Authorization: Bearer <LICENSE_KEY>`.',
        },
      },
      schemas: {
        LoginEvent: eventSchemas.login,
        LogoutEvent: eventSchemas.logout,
        OperationEvent: eventSchemas.operation,
        OutcomeReport: outcomeSchema,
        EventAnswer: eventAnswerSchema,
        OutcomeAnswer: outcomeAnswerSchema,
        StatusRequest: statusRequestSchema,
        Status: statusAnswerSchema,
        ActionRequest: actionRequestSchema,
        ActionResponse: actionResponseSchema,
        DeviceKeys: deviceKeysSchema,
        Problem: doorProblemSchema,
      },
      parameters,
      headers,
      responses: { ...responses, ...statusResponses },
    },
  };
}

/** The document as served and committed: indented, with a trailing line break. */
export function openApiText(): string {
  return `${JSON.stringify(openApiDocument(), undefined, 2)}\n`;
}

const introduction = `A client's backend reports logins, logouts and operations. Each is answered immediately, and an event that was answered 200 is stored durably. Under \`status\` it can ask for the decision, its actions, the session and the client. Actions that follow from it are sent later, to the webhook. The outcome of an event is reported when it is known.

* Amounts are decimal numbers with up to 18 digits before the point and 6 after it (\`format: decimal\`). Generated clients in Java, Kotlin and C# keep every digit, those in Python and TypeScript 15. Those in Go keep 15 with \`--type-mappings number+decimal=float64\` of openapi-generator, else 7.
* In optional members, null and "" mean absent. Unknown members are kept, not refused.
* Paths under \`app\` and \`web\` accept the same bodies.
* An \`Idempotency-Key\` makes it safe to send a request again: within 24 hours the answer is the first one's.
* With \`Prefer: wait=N\` the answer contains the decision, if it is made in time. If it cannot be, the answer comes at once.
* \`Ringfence-Lag\` in every answer says how long the oldest event has waited for its decision.
* Errors are problem details (RFC 9457) and report the wrong members together, at most 20.
* What is accepted with a change, or looks wrong, is named in the header \`Warning\`.
* Payment card numbers in free text are masked before anything is stored, or refused, as the workspace configures it.`;

interface Documented {
  readonly title: string;
  readonly description?: string;
  readonly schema: object;
  readonly schemaName: string;
  readonly examples: Readonly<Record<string, object>>;
  readonly parameters: readonly string[];
  readonly responses: Readonly<Record<string, object>>;
}

const complete = (schema: object): Documented['examples'] => ({
  complete: { summary: 'Every member', value: schemaExample(schema) },
});

function eventDocument(title: string, kind: EventKind, schemaName: string): Documented {
  const schema = eventSchemas[kind];
  const parameters = ['IdempotencyKey', 'Prefer', 'RequestId'];
  return { title, schema, schemaName, examples: complete(schema), parameters, responses: reusable };
}

const outcomeExamples = {
  stepUp: {
    summary: 'The client confirmed the payment with a passkey',
    value: {
      channelId: 1,
      outcome: 'stepUpPassed',
      webhookId: 'act_k3x7q2ma_1795256130_42_302_0',
      method: 'passkey',
    },
  },
  executed: {
    summary: 'The bank executed the payment',
    value: { channelId: 1, outcome: 'executed', user: 'client-000123', reference: 'REF-0001187' },
  },
};

/** When an outcome is refused that the license key may not report. */
const outcomeResponses = (): Documented['responses'] => ({
  ...reusable,
  '200': { $ref: '#/components/responses/OutcomeAccepted' },
  '403': { $ref: '#/components/responses/403' },
});

const documented = (): Readonly<Record<RequestKind, Documented>> => ({
  login: eventDocument('Report a login', 'login', 'LoginEvent'),
  logout: eventDocument('Report a logout', 'logout', 'LogoutEvent'),
  operation: eventDocument('Report an operation', 'operation', 'OperationEvent'),
  outcome: {
    title: 'Report the outcome of an event',
    description:
      'The event may be months old, as long as it is kept. A report that comes before its operation waits 24 hours for it. One that matches no event, or several, is listed with the reason in the management API. Fraud, legitimate, chargeback, unblocked and retracted need a setting of the workspace, or are reported to the management API.',
    schema: outcomeSchema,
    schemaName: 'OutcomeReport',
    examples: { ...complete(outcomeSchema), ...outcomeExamples },
    parameters: ['IdempotencyKey', 'RequestId'],
    responses: outcomeResponses(),
  },
});

function requestOperation({ kind, path, environment }: IngestRoute): object {
  const surface = path.includes('/web/') ? 'web' : 'app';
  const { title, description, schemaName, examples, parameters: named, responses: answers } = documented()[kind];
  return {
    operationId: `${environment}-${surface}-${kind}`,
    summary: `${title} (${surface}${environment === 'development' ? ', development' : ''})`,
    ...(description === undefined ? {} : { description }),
    tags: [environment === 'production' ? 'Production' : 'Development'],
    parameters: named.map((name) => ({ $ref: `#/components/parameters/${name}` })),
    requestBody: {
      required: true,
      description: 'At most 64 KiB, in UTF-8.',
      content: { 'application/json': { schema: { $ref: `#/components/schemas/${schemaName}` }, examples } },
    },
    responses: answers,
  };
}

const deviceKeysOperation = {
  operationId: 'device-keys',
  summary: 'The public keys that pages encrypt device tokens to',
  description:
    'A JWK set (RFC 7517) for the browser SDK; use the first key. It contains no secret and needs no license key. A bank serves it to its pages from its own origin.',
  tags: ['Devices'],
  security: [],
  parameters: [
    {
      name: 'workspace',
      in: 'path',
      required: true,
      description: 'Id of the workspace; `ringfence workspace list` shows it.',
      schema: { type: 'string' },
    },
  ],
  responses: {
    '200': {
      description: 'The set. It may be cached for 5 minutes.',
      headers: { 'Cache-Control': { schema: { type: 'string' }, example: 'public, max-age=300' } },
      content: { 'application/jwk-set+json': { schema: { $ref: '#/components/schemas/DeviceKeys' } } },
    },
    '404': workspaceUnknownResponse,
  },
};

const deviceKeysSchema = {
  title: 'DeviceKeys',
  description: 'A JWK set of keys on P-256 for ECDH-ES.',
  type: 'object',
  required: ['keys'],
  properties: {
    keys: {
      type: 'array',
      items: {
        type: 'object',
        required: ['kty', 'crv', 'x', 'y', 'kid', 'use', 'alg'],
        properties: {
          kty: { type: 'string', const: 'EC' },
          crv: { type: 'string', const: 'P-256' },
          x: { type: 'string', description: 'Base64url.' },
          y: { type: 'string', description: 'Base64url.' },
          kid: { type: 'string', description: 'Thumbprint of the key (RFC 7638).' },
          use: { type: 'string', const: 'enc' },
          alg: { type: 'string', const: 'ECDH-ES' },
        },
      },
    },
  },
};

/**
 * The three answers as one object. Generators of clients make nothing useful of `oneOf`: they guess the case by trial,
 * and two of the three have the same members.
 */
const eventAnswerSchema = {
  title: 'EventAnswer',
  description:
    'The event is stored durably, and will be decided. `fired` and `actions` are there if, and only if, the status is `decided`.',
  type: 'object',
  required: ['id', 'status'],
  properties: {
    ...decidedAnswerSchema.properties,
    id: {
      type: 'string',
      pattern: '^evt_(?:test_)?[0-9]+_[0-9]+$',
      description: 'Id of the event.',
      examples: ['evt_1795256130_42'],
    },
    status: {
      type: 'string',
      enum: ['accepted', 'decided', 'pending'],
      description:
        '`accepted`: the request did not wait. With `Prefer: wait=N`, `decided`: the event was decided, and the decision is stored durably; `pending`: it was not decided in time, or could not have been, which implies nothing about the event itself.',
      examples: ['accepted'],
    },
  },
};

const acceptedHeaders = ['X-Request-Id', 'Ringfence-Lag', 'Idempotency-Replayed', 'Preference-Applied', 'Warning'];
const acceptedId = 'evt_1795256130_42';

const accepted = {
  description: 'The event is stored durably. With `Prefer: wait=N`: the decision, or the status `pending`.',
  headers: Object.fromEntries(acceptedHeaders.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
  content: {
    'application/json': {
      schema: { $ref: '#/components/schemas/EventAnswer' },
      examples: {
        accepted: { value: { id: acceptedId, status: 'accepted' } },
        decided: {
          summary: 'With `Prefer: wait=N`: a decision to close the session',
          value: {
            id: acceptedId,
            status: 'decided',
            fired: [{ reason: 302, name: 'Payments to many payees within minutes' }],
            actions: [
              {
                action: 2,
                message: 'Your session was closed.',
                reason: 302,
                webhookId: 'act_k3x7q2ma_1795256130_42_302_0',
              },
            ],
            session: { matched: true },
          },
        },
        pending: {
          summary: 'With `Prefer: wait=N`: not decided in time',
          value: { id: acceptedId, status: 'pending' },
        },
      },
    },
  },
};

const outcomeAnswerSchema = {
  title: 'OutcomeAnswer',
  description: 'The report is stored durably, and will be matched with its event.',
  type: 'object',
  required: ['id', 'status'],
  properties: {
    id: {
      type: 'string',
      pattern: '^out_[a-z2-7]{16}$',
      description: 'Id of the report.',
      examples: ['out_k3x7q2ma5bcd2f7h'],
    },
    status: { type: 'string', const: 'accepted', description: 'Always `accepted`.', examples: ['accepted'] },
  },
};

const outcomeAccepted = {
  description: 'The report is stored durably.',
  headers: Object.fromEntries(
    acceptedHeaders
      .filter((name) => name !== 'Preference-Applied')
      .map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  ),
  content: {
    'application/json': {
      schema: { $ref: '#/components/schemas/OutcomeAnswer' },
      examples: { accepted: { value: { id: 'out_k3x7q2ma5bcd2f7h', status: 'accepted' } } },
    },
  },
};

const responses = {
  '200': accepted,
  ...problemResponses(),
  '403': mayNotReportResponse,
  OutcomeAccepted: outcomeAccepted,
};

const reusable = Object.fromEntries(
  ['200', ...Object.keys(problemResponses())].map((status) => [status, { $ref: `#/components/responses/${status}` }]),
);

/** Statuses that mean the same for an event and for a question. */
const sharedStatuses = Object.keys(problemResponses()).filter((status) => !(`Status${status}` in statusResponses));

const text = (description: string, example: string): object => ({
  description,
  schema: { type: 'string', examples: [example] },
});

const headers = {
  'X-Request-Id': text('Id of this request: the one that was sent, or a new one.', 'req_5gq2m7tzkd_1a'),
  'Ringfence-Lag': {
    description:
      'Seconds that the oldest event of the workspace has waited for its decision; 0.0 if none waits. In every answer to a request with a valid license key.',
    schema: { type: 'number', minimum: 0, examples: [0.0, 12.4] },
  },
  'Idempotency-Replayed': replayedHeader,
  'Preference-Applied': text(
    'The wait that was applied. Absent if the request did not wait: it did not ask to, its decision could not be made in time, too many requests were waiting, or the service was stopping.',
    'wait=2',
  ),
  Warning: text(
    'What was accepted and should be mended.',
    '299 ringfence "timestamp is missing; transaction.date was used"',
  ),
  'Retry-After': text('Seconds to wait before sending again.', '1'),
  'WWW-Authenticate': text('How to authenticate.', 'Bearer'),
  Allow: text('The methods that the path accepts.', 'POST'),
};

const parameters = {
  IdempotencyKey: idempotencyParameter,
  Prefer: {
    name: 'Prefer',
    in: 'header',
    description: `\`wait=N\` (RFC 7240): answer when the event is decided, after at most N seconds; values above ${waitSecondsMax} count as ${waitSecondsMax}. Other preferences, and malformed ones, are ignored.`,
    schema: { type: 'string' },
    example: 'wait=2',
  },
  RequestId: {
    name: 'X-Request-Id',
    in: 'header',
    description:
      'Id of this request in answers and in the list of refused requests: 1 to 128 of A-Z a-z 0-9 . _ : / + = @ -. Anything else is replaced.',
    // No pattern: values outside it are accepted as well.
    schema: { type: 'string' },
    example: 'checkout-7f3a',
  },
};

const webhookHeaders = {
  'webhook-id':
    'Id of the action, the same on every attempt. Do not execute an action again whose id was already executed.',
  'webhook-timestamp': 'Unix seconds of this attempt.',
  'webhook-signature': 'Signatures of id, timestamp and body, as specified by Standard Webhooks: `v1,<base64>`.',
  'ringfence-event': 'Id of the event that the action is about. Absent in a test.',
  'ringfence-resolves':
    '`webhook-id` of the action that asked to hold this payment, in the action that ends the hold. Absent in every other.',
  'ringfence-reference':
    '`transaction.reference` of the payment, UTF-8, percent-encoded, if the workspace sends it. Absent if it was masked.',
  'ringfence-signature':
    'Signatures of `webhook-id.webhook-timestamp.ringfence-event.ringfence-resolves.ringfence-reference`, an absent header being empty, in the form of `webhook-signature`.',
};

const optionalHeaders: ReadonlySet<string> = new Set(['ringfence-event', 'ringfence-resolves', 'ringfence-reference']);

const webhookOperation = {
  operationId: 'action',
  tags: ['Webhook'],
  summary: 'Execute an action',
  description: `Sent to the client's webhook when a rule fires, with the license key as bearer token. Any response other than 2xx with a \`code\` is a failed attempt, which is retried until the action expires.`,
  parameters: Object.entries(webhookHeaders).map(([name, description]) => ({
    name,
    in: 'header',
    required: !optionalHeaders.has(name),
    description,
    schema: { type: 'string' },
  })),
  requestBody: {
    required: true,
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/ActionRequest' },
        examples: { closeSession: { value: schemaExample(actionRequestSchema) } },
      },
    },
  },
  responses: {
    '200': {
      description: 'The action was executed, or it was not.',
      content: {
        'application/json': {
          schema: { $ref: '#/components/schemas/ActionResponse' },
          examples: {
            executed: { value: { code: 1 } },
            notExecuted: { value: { code: 0, message: 'There is no such session.' } },
          },
        },
      },
    },
  },
};
