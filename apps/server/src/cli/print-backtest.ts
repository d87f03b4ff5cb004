import type { Label } from '@ringfence/engine';
import { actionText } from '@ringfence/policy';
import type { BacktestWithResult } from '../backtest/backtests/backtest-rows.ts';
import type { ExampleDetail } from '../backtest/backtests/example-detail.ts';
import {
  type BacktestResult,
  type ChangedOutcome,
  type Money,
  type PolicyOutcome,
  type RuleOutcome,
  unmatchedRules,
  type VariedResult,
} from '../backtest/backtests/result.ts';
import type { WrittenEvents } from '../backtest/event-file.ts';
import { counted, grouped, instant, shown } from './print.ts';

export interface PrintedBacktest {
  /** Name of the workspace. */
  readonly workspace: string;
  readonly backtest: BacktestWithResult;
  readonly examples: readonly ExampleDetail[];
  /** The file of scores, if one was written. */
  readonly scores?: WrittenEvents | undefined;
}

/** The result of a backtest as text: totals, each rule, changes against the live policy, examples. */
export function printBacktest({ workspace, backtest, examples, scores }: PrintedBacktest): string {
  const { result } = backtest;
  if (result === undefined) return `Backtest ${backtest.id}: ${backtest.state}.\n`;
  const { candidate, live, changes, asLive = [], varied, digest, notes } = result;
  const sections = [
    heading(workspace, backtest, result),
    overview(candidate, live),
    ruleTable(candidate.rules),
    unmatchedLines(candidate),
    changes === undefined ? '' : changeLines(changes),
    varied === undefined ? '' : variedTable(varied),
    exampleText(examples),
    asLive.length === 0 ? '' : `In shadow, ran as if live: ${asLive.join(', ')}.\n`,
    notes.map((note) => `${note}\n`).join(''),
    `SHA-256 of all decisions: ${digest}\n`,
    scores === undefined
      ? ''
      : `Scores of ${counted(scores.lines, 'event')}: ${scores.file}\nSHA-256 of the file: ${scores.sha256}\n`,
  ];
  return sections.filter((section) => section !== '').join('\n');
}

function heading(workspace: string, backtest: BacktestWithResult, { events }: BacktestResult): string {
  const { id, policyVersion, against, history, fromMs, toMs } = backtest;
  const tried = policyVersion === undefined ? 'the candidate' : `policy version ${policyVersion}`;
  const on = history === undefined ? 'the live log' : `history ${history}`;
  const compared = against === undefined ? '' : `, compared with the live version ${against}`;
  const range = [
    fromMs === undefined ? '' : `From ${instant(fromMs)}.\n`,
    toMs === undefined ? '' : `Until ${instant(toMs)}.\n`,
  ].join('');
  const aside = [
    events.repeats === 0 ? '' : ` ${counted(events.repeats, 'retry').replace('retrys', 'retries')} not applied.`,
    events.unreadable === 0 ? '' : ` ${counted(events.unreadable, 'event')} of erased clients.`,
    events.waiting === 0 ? '' : ` ${counted(events.waiting, 'operation')} still waiting for a login.`,
  ].join('');
  return `Backtest ${id} in ${workspace}: ${tried} on ${on}${compared}.
${range}${counted(events.decided, 'event')}, labelled ${grouped(events.fraud)} fraud and ${grouped(events.legitimate)} legitimate.${aside}
`;
}

type Row = readonly [what: string, candidate: string, live: string, change: string];

function overview(candidate: PolicyOutcome, live: PolicyOutcome | undefined): string {
  const rows: Row[] = [];
  const count = (what: string, of: (policy: PolicyOutcome) => number): void => {
    const [now, before] = [of(candidate), live === undefined ? undefined : of(live)];
    rows.push([
      what,
      grouped(now),
      before === undefined ? '' : grouped(before),
      before === undefined ? '' : signed(now - before),
    ]);
  };
  const ratio = (what: string, of: (policy: PolicyOutcome) => number | undefined): void => {
    rows.push([what, percent(of(candidate)), live === undefined ? '' : percent(of(live)), '']);
  };
  count('events flagged', ({ flagged }) => flagged.events);
  count('fraud caught', ({ flagged }) => flagged.fraud);
  count('fraud missed', ({ missed }) => missed.events);
  count('legitimate events hit', ({ flagged }) => flagged.legitimate);
  count('legitimate clients hit', ({ legitimateClients }) => legitimateClients);
  ratio('precision', ({ precision }) => precision);
  ratio('recall', ({ recall }) => recall);
  rows.push(...moneyRows(candidate, live));
  for (const action of actionNumbers(candidate, live)) {
    const named = [candidate, live].map((policy) => nameOf(policy, action)).find((one) => one !== undefined);
    const custom = new Map(named === undefined ? [] : [[action, named]]);
    count(`action ${shown(actionText(action, custom))}`, (policy) => actionCount(policy, action));
  }
  const head: Row = ['', 'CANDIDATE', live === undefined ? '' : 'LIVE', live === undefined ? '' : 'CHANGE'];
  return columns([head, ...rows], [0]);
}

const moneyKinds = [
  ['fraud caught', (policy: PolicyOutcome) => policy.money, 'fraud'],
  ['fraud missed', (policy: PolicyOutcome) => policy.missed.money, 'fraud'],
  ['legitimate hit', (policy: PolicyOutcome) => policy.money, 'legitimate'],
] as const;

function moneyRows(candidate: PolicyOutcome, live: PolicyOutcome | undefined): readonly Row[] {
  const policies = live === undefined ? [candidate] : [candidate, live];
  const currencies = [
    ...new Set(policies.flatMap(({ money, missed }) => [...money, ...missed.money].map(({ currency }) => currency))),
  ].toSorted();
  return currencies.flatMap((currency) =>
    moneyKinds.map(([what, of, kind]): Row => {
      const [now = '', before = ''] = policies.map((policy) => amount(of(policy), currency, kind));
      return [`${currency === '' ? '(no currency)' : shown(currency)} ${what}`, now, before, ''];
    }),
  );
}

function amount(money: readonly Money[], currency: string, kind: Label): string {
  const [whole = '0', fraction] = (money.find((one) => one.currency === currency)?.[kind] ?? '0').split('.');
  const sign = whole.startsWith('-') ? '-' : '';
  return `${sign}${grouped(BigInt(whole.replace('-', '')))}${fraction === undefined ? '' : `.${fraction}`}`;
}

function actionNumbers(candidate: PolicyOutcome, live: PolicyOutcome | undefined): readonly number[] {
  const all = [...candidate.actions, ...(live?.actions ?? [])].map(({ action }) => action);
  return [...new Set(all)].toSorted((a, b) => a - b);
}

function actionCount({ actions }: PolicyOutcome, action: number): number {
  return actions.find((one) => one.action === action)?.count ?? 0;
}

function nameOf(policy: PolicyOutcome | undefined, action: number): string | undefined {
  return policy?.actions.find((one) => one.action === action)?.name;
}

function ruleTable(rules: readonly RuleOutcome[]): string {
  const head = [
    'RULE',
    'NAME',
    'MODE',
    'MATCHES',
    'FRAUD',
    'LEGITIMATE',
    'PRECISION',
    'CLIENTS',
    'GOOD',
    'ACTIONS',
    'CAPPED',
    'MISSING',
  ];
  const rows = rules.map((rule) => [
    String(rule.reason),
    shortened(shown(rule.name)),
    rule.mode,
    ...[rule.matches.events, rule.matches.fraud, rule.matches.legitimate].map(grouped),
    percent(rule.precision),
    ...[rule.clients, rule.legitimateClients, rule.actions, rule.capped, rule.missing].map(grouped),
  ]);
  return `${columns([head, ...rows], [0, 1, 2])}GOOD: clients hit on a legitimate event. CAPPED: actions beyond the rule's cap. MISSING: events that lack a fact.\n`;
}

function unmatchedLines(candidate: PolicyOutcome): string {
  const rules = unmatchedRules(candidate).map(({ reason, name, mode }) => `  ${reason} ${shown(name)} (${mode})\n`);
  return rules.length === 0 ? '' : `Rules that matched no event:\n${rules.join('')}`;
}

function changeLines({ newlyFlagged, noLongerFlagged }: NonNullable<BacktestResult['changes']>): string {
  const line = (what: string, change: ChangedOutcome): string =>
    `${what}: ${counted(change.events, 'event')} (${grouped(change.fraud)} fraud, ${grouped(change.legitimate)} legitimate)${moneyText(change.money)}\n`;
  return line('Newly flagged', newlyFlagged) + line('No longer flagged', noLongerFlagged);
}

function variedTable({ param, unit, candidate, live, rules, values }: VariedResult): string {
  const currencies = [
    ...new Set(values.flatMap(({ matches }) => matches.money.map(({ currency }) => currency))),
  ].toSorted();
  const head = [
    'VALUE',
    'MATCHES',
    'FRAUD',
    'LEGITIMATE',
    'FLAGGED',
    'RECALL',
    ...currencies.flatMap((currency) => [`${shown(currency)} FRAUD`, `${shown(currency)} LEGITIMATE`]),
  ];
  const rows = values.map(({ value, matches, flagged, recall }) => [
    value,
    ...[matches.events, matches.fraud, matches.legitimate, flagged.events].map(grouped),
    percent(recall),
    ...currencies.flatMap((currency) => [
      amount(matches.money, currency, 'fraud'),
      amount(matches.money, currency, 'legitimate'),
    ]),
  ]);
  const now = [`the candidate has ${candidate}`, ...(live === undefined ? [] : [`live is ${live}`])].join(', ');
  const of = rules.length === 0 ? 'no rule depends on it' : `matches of rules ${rules.join(', ')}`;
  const named = unit === undefined ? param : `${param} (${shown(unit)})`;
  return `Values of ${named}: ${now}; ${of}.\n${columns([head, ...rows], [])}`;
}

function moneyText(money: readonly Money[]): string {
  return money.map(({ currency }) => `, ${shown(currency)} ${amount(money, currency, 'fraud')} of fraud`).join('');
}

function exampleText(examples: readonly ExampleDetail[]): string {
  const titles = { rule: 'Rule', newlyFlagged: 'Newly flagged', noLongerFlagged: 'No longer flagged' } as const;
  return examples
    .map(({ list, reason, event, at, client, label, amount: sum, currency, rules }) => {
      const title = list === 'rule' ? `${titles.rule} ${reason}` : titles[list];
      const facts = [at, client, sum === undefined ? undefined : `${sum} ${currency ?? ''}`.trim(), label]
        .filter((part) => part !== undefined)
        .map(shown);
      const why = rules.flatMap((rule) => [
        `    rule ${rule.reason}${rule.mode === 'shadow' ? ' (shadow)' : ''}${rule.suppressed === undefined ? '' : ` (suppressed: ${rule.suppressed})`}`,
        ...rule.conditions.map(({ text, holds, values }) =>
          `      ${holdsText(holds)} ${shown(text)}   ${valueText(values)}`.trimEnd(),
        ),
      ]);
      return `${title}: event ${event}, ${facts.join(', ')}\n${why.join('\n')}\n`;
    })
    .join('');
}

function holdsText(holds: boolean | undefined): string {
  return holds === undefined ? '?' : holds ? '+' : '-';
}

function valueText(values: Readonly<Record<string, string | undefined>>): string {
  return Object.entries(values)
    .map(([path, value]) => `${path}: ${value === undefined ? 'missing' : shown(value)}`)
    .join(', ');
}

function percent(share: number | undefined): string {
  return share === undefined ? '-' : `${(share * 100).toFixed(1)} %`;
}

function signed(change: number): string {
  return change > 0 ? `+${grouped(change)}` : change < 0 ? `-${grouped(-change)}` : '0';
}

const nameLengthMax = 40;

function shortened(name: string): string {
  return name.length > nameLengthMax ? `${name.slice(0, nameLengthMax - 1)}…` : name;
}

/** Aligned columns, as wide as their widest cell: `left` lists the left-aligned ones, the others are right-aligned. */
function columns(rows: readonly (readonly string[])[], left: readonly number[]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  return rows
    .map((row) => {
      const cells = row.map((cell, i) => (left.includes(i) ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!)));
      return `${cells.join('  ').trimEnd()}\n`;
    })
    .join('');
}
