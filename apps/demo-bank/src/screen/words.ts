import type { Arrival } from '../bank/webhook-server.ts';
import { describeAnswer, type Finding, nameOfAction } from '../play/verdict.ts';
import { table } from './table.ts';

/** One action as received by the bank. */
export function describeArrival(arrival: Arrival, sinceStartMs: number): string {
  const { action, user = 'somebody unknown' } = arrival;
  const at = `${(sinceStartMs / 1_000).toFixed(1).padStart(5)} s`;
  const asked = nameOfAction(action.action).padEnd(asksWidth);
  return `${at}  ${user.padEnd(userWidth)}  ${asked}  rule ${action.reason}  ${describeAnswer(arrival)}`;
}

/** Widths that fit the stories; longer texts only break the alignment. */
const userWidth = 8;
const asksWidth = 22;

export interface Progress {
  readonly done: number;
  readonly steps: number;
  readonly stored: number;
  readonly arrived: number;
  readonly expected: number;
  readonly sinceStartMs: number;
}

/** Progress in one line. */
export function describeProgress({ done, steps, stored, arrived, expected, sinceStartMs }: Progress): string {
  const seconds = `${Math.round(sinceStartMs / 1_000)} s`;
  return `${seconds}: ${done} of ${steps} steps played, ${stored} events stored, ${arrived} of ${expected} actions`;
}

/** Expected and received actions by story. */
export function describeFindings(findings: readonly Finding[]): readonly string[] {
  const rows = findings.map(({ story, expected, arrived, isRight }) => [
    isRight ? 'ok' : 'WRONG',
    story,
    expected,
    arrived,
  ]);
  return table(['', 'story', 'expected', 'arrived'], rows);
}

export interface Addresses {
  readonly url: string;
  /** Address of the bank's page. */
  readonly pageUrl: string;
  readonly managementUrl: string;
  readonly licenseKey: string;
  readonly adminToken: string;
  readonly folder: string;
}

/** Where the viewer can continue. */
export interface NextSteps extends Addresses {
  /** One-time link for the console's first account; `undefined` without a console. */
  readonly consoleLink: string | undefined;
}

/** The user in the suggested commands. */
export const visitor = 'you';

/** Suggested next commands; each works as shown. */
export function describeNextSteps({
  url,
  pageUrl,
  consoleLink,
  managementUrl,
  licenseKey,
  adminToken,
  folder,
}: NextSteps): readonly string[] {
  const post = (kind: string): string => `curl -i ${url}/api/v5/analytics/app/${kind} -H "Authorization: Bearer $KEY"`;
  const now = `$(date -u +%Y-%m-%dT%H:%M:%SZ)`;
  return [
    'Ringfence and the bank keep running. Open them in a browser, and try them from another terminal:',
    '',
    ...(consoleLink === undefined
      ? []
      : [
          '  The console, with an alert for each story above. The payment of hector is still held: release or reject it.',
          '  The link creates your account and works once:',
          `    ${consoleLink}`,
          '',
        ]),
    `  The bank's page  ${pageUrl} (any name; a new device gets a message, the second login is recognised)`,
    '',
    `  KEY=${licenseKey}`,
    `  TOKEN=${adminToken}`,
    '',
    '  # You log in, then your session is used from another address: watch this window.',
    `  ${post('login')} -H 'Content-Type: application/json' \\`,
    `    -d '{"channelId":1,"user":"${visitor}","session":"${visitor}-1","publicIp":"203.0.113.200","data":""}'`,
    `  ${post('login')} -H 'Content-Type: application/json' \\`,
    `    -d '{"channelId":1,"user":"${visitor}","session":"${visitor}-1","publicIp":"203.0.113.201","data":""}'`,
    '',
    '  # A payment without a session: it is decided after 5 seconds without a login.',
    `  ${post('operation')} -H 'Content-Type: application/json' \\`,
    `    -d "{\\"channelId\\":1,\\"timestamp\\":\\"${now}\\",\\"account\\":{\\"client\\":\\"${visitor}\\",\\"session\\":\\"nobodys\\"}}"`,
    '',
    '  # The decisions and their reasons.',
    `  curl -s -H "Authorization: Bearer $TOKEN" ${managementUrl}/management/v1/workspaces/demo-bank:production/decisions`,
    `  curl -s -H "Authorization: Bearer $TOKEN" ${managementUrl}/management/v1/workspaces/demo-bank:production/actions`,
    '',
    `  Wire contract    ${url}/openapi.json, to read: ${url}/docs`,
    `  Management API   ${managementUrl}/openapi.json`,
    `  Metrics          ${managementUrl}/metrics`,
    `  Everything else  ${folder} (configuration, log; removed at the end)`,
    '',
    'Ctrl+C stops everything.',
  ];
}
