import { type Command, Option } from 'commander';
import { type ModelExplanation, type WordLanguage, wordLanguages } from '@ringfence/policy';
import type { UnfiredRule } from '../../backtest/queries/unfired-rules.ts';
import { type Redecided, redecide } from '../../backtest/queries/redecide.ts';
import { reportsOf, type StoredReport } from '../../console/event-reports/stored-reports.ts';
import { OperatorError } from '../../platform/observability/operator-error.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';
import { about, onWorkspace } from '../about.ts';
import { type ActionNames, actionNames } from '../action-names.ts';
import { type CliIo, exitCodes, type WorkspaceOptions } from '../cli-io.ts';
import { findStoredEvent } from '../find-stored-event.ts';
import { type OpenInstallation, withWorkspace } from '../open-installation.ts';
import { counted, printResult, shown } from '../print.ts';
import { Progress } from '../progress.ts';
import type { Shell } from '../shell.ts';
import { reasonMax, wholeNumber } from '../whole-number.ts';

interface ExplainOptions extends WorkspaceOptions {
  readonly rule?: string;
  readonly reasons?: WordLanguage;
}

export function addExplain(group: Command, { io, fail }: Shell): void {
  const command = onWorkspace(group.command('explain'))
    .argument('<event>', 'event id: evt_…')
    .option('--rule <reason>', 'only this rule')
    .addOption(
      new Option(
        '--reasons <language>',
        'only what raised the probability of each model most, in words for a letter to the client',
      ).choices(wordLanguages),
    )
    .action(async (event: string, options: ExplainOptions) => {
      const { rule } = options;
      const only = rule === undefined ? undefined : wholeNumber('--rule', rule, { min: 0, max: reasonMax });
      await withWorkspace(io, options, async (installation, workspace) => {
        const then = await explain(io, installation, { workspace, event });
        const decided = only === undefined ? then : onlyRule(then, only);
        const { policyVersion } = then.decision;
        const names = await actionNames(installation.pool, workspace.id, policyVersion);
        const { identity } = await findStoredEvent(installation, { workspace, event });
        const outcomes = await reportsOf(installation, workspace, identity);
        const human =
          options.reasons === undefined
            ? print(event, decided, names) + outcomes.map(outcomeLine).join('')
            : letterReasons(decided.models, options.reasons);
        printResult(io, options, { json: { ...decided, outcomes }, human });
        if (then.differences.length > 0) fail(exitCodes.failed);
      });
    });
  about(command, {
    summary: 'Decide one event again with the state of that time, and show why each rule fired or did not.',
    details:
      'Replays the log up to the event on the production engine, so the time it takes grows with the log. Every part of every condition is shown with the values it saw: + true, - false, ? a fact is missing. Differences from the recorded decision are listed, what each input of a model says and adds to its log-odds, and what the bank has reported about the event since. The service can keep running, and nothing is written. The values are personal data: do not store the output.',
    examples: [
      ['ringfence events explain evt_1795256130_42 -w acme/production', 'why did nothing fire?'],
      ['ringfence events explain evt_1795256130_42 -w acme/production --rule 301', 'only one rule'],
      ['ringfence events explain evt_1795256130_42 -w acme/production --reasons es', 'for a letter to the client'],
      ['ringfence events explain evt_1795256130_42 -w acme/production --json', 'for scripts'],
    ],
    failure: 'the decision differs from the recorded one',
  });
}

async function explain(
  io: CliIo,
  { pool, log, subjects }: OpenInstallation,
  of: { readonly workspace: Workspace; readonly event: string },
): Promise<Redecided> {
  const { workspace, event } = of;
  const { identity } = await findStoredEvent({ pool, log, subjects }, of);
  const progress = new Progress(io, `records before ${event}`);
  try {
    return await redecide({ pool, log, subjects }, { workspace, asked: { offset: identity.offset } }, (done, total) => {
      if (io.stop.aborted) throw new OperatorError('Stopped before the event was reached.', 'Nothing was changed.');
      progress.show(done, total);
    });
  } finally {
    progress.clear();
  }
}

function onlyRule(then: Redecided, reason: number): Redecided {
  const fired = then.decision.fired.filter((rule) => rule.reason === reason);
  const unfired = then.unfired.filter((rule) => rule.reason === reason);
  if (fired.length + unfired.length === 0) {
    throw new OperatorError(
      `Version ${then.decision.policyVersion} of the policy did not evaluate a rule ${reason} for this event.`,
      'Leave out --rule to see the evaluated rules. Rules that are off, or for another kind of event, are not evaluated.',
    );
  }
  const conditions = then.fired.filter((rule) => rule.reason === reason);
  return { ...then, decision: { ...then.decision, fired }, fired: conditions, unfired };
}

function print(event: string, then: Redecided, names: ActionNames): string {
  const { decision, actions, fired, unfired, records, unreadable, differences } = then;
  const lines = [
    `${decision.event} ${event}: ${decision.outcome} by version ${decision.policyVersion} of the policy, with the state of that time (${counted(records, 'record')})`,
  ];
  if (unreadable > 0) lines.push(`  ${counted(unreadable, 'earlier event')} cannot be read any more`);
  for (const { what, recorded, replayed } of differences) {
    lines.push(`  DIFFERENT, ${what}: recorded ${shown(recorded)}, replayed ${shown(replayed)}`);
  }
  for (const { reason, name, mode, suppressed, withheld, facts } of decision.fired) {
    const not = withheld === undefined ? '' : `: does not request ${withheld.map(names).map(shown).join(', ')}`;
    const held = suppressed === undefined ? '' : `, suppressed (${suppressed})${not}`;
    lines.push(`fired      ${reason} ${name}${mode === 'shadow' ? ' (shadow)' : ''}${held}`);
    const asked = actions.filter((action) => action.reason === reason).map(({ action }) => shown(names(action)));
    if (asked.length > 0) lines.push(`    requests ${asked.join(', ')}`);
    const conditions = fired.find((rule) => rule.reason === reason)?.conditions;
    if (conditions !== undefined) lines.push(...conditionLines(conditions));
    else for (const [path, value] of Object.entries(facts)) lines.push(`    ${path} = ${shown(value)}`);
  }
  for (const rule of unfired) lines.push(...unfiredLines(rule));
  for (const model of then.models) lines.push(...modelLines(model));
  return `${lines.join('\n')}\n`;
}

/** What the bank reported about the event since. */
function outcomeLine({ outcome, reportedAtMs, author, ...told }: StoredReport): string {
  const { method, type, code, stage, loss, recovered, currency, note } = told;
  const amounts = [
    loss === undefined ? [] : [`loss ${loss}`],
    recovered === undefined ? [] : [`recovered ${recovered}`],
  ]
    .flat()
    .map((amount) => (currency === undefined ? amount : `${amount} ${currency}`));
  const said = [method, type, code, stage, ...amounts, note].filter((one) => one !== undefined).map(shown);
  const more = said.length === 0 ? '' : `: ${said.join(', ')}`;
  return `reported   ${outcome}${more} (${new Date(reportedAtMs).toISOString()}, ${shown(author)})\n`;
}

function unfiredLines({ reason, name, mode, conditions, isPassedOver }: UnfiredRule): readonly string[] {
  return [
    `not fired  ${reason} ${name}${mode === 'shadow' ? ' (shadow)' : ''}${isPassedOver ? ': another rule of its group fired first' : ''}`,
    ...conditionLines(conditions),
  ];
}

/** The inputs by how much they add to the log-odds or take from them, the most first. */
function modelLines({ name, p, score, margin, expected, inputs }: ModelExplanation): readonly string[] {
  const signed = (value: number): string => `${value < 0 ? '-' : '+'}${Math.abs(value).toFixed(3)}`;
  const scored = score === undefined ? '' : `, score ${score}`;
  return [
    `model      ${name}: p = ${p.toFixed(6)}${scored}; in log-odds ${margin.toFixed(3)}, of them ${expected.toFixed(3)} on average, and`,
    ...inputs
      .toSorted((a, b) => Math.abs(b.contribution) - Math.abs(a.contribution))
      .map(
        (one) =>
          `    ${signed(one.contribution)} ${shown(one.words.en)}   [${one.name} = ${one.value ?? 'missing'}: ${shown(one.text)}]`,
      ),
  ];
}

/** One on each line, to copy. */
function letterReasons(models: readonly ModelExplanation[], language: WordLanguage): string {
  if (models.length === 0) return 'No model was evaluated for this event.\n';
  return models.map(({ name, reasons }) => [`${name}:`, ...reasons[language].map(shown), ''].join('\n')).join('');
}

/** `+` true, `-` false, `?` a fact is missing. */
function conditionLines(conditions: UnfiredRule['conditions']): readonly string[] {
  return conditions.map(({ text, holds, values }) => {
    const saw = Object.entries(values).map(
      ([path, value]) => `${path} = ${value === undefined ? 'missing' : shown(value)}`,
    );
    return `    ${holds === undefined ? '?' : holds ? '+' : '-'} ${text}   [${saw.join(', ')}]`;
  });
}
