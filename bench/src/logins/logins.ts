import { assert, InvariantError } from '@ringfence/contract';
import { type EngineRecord, newState } from '@ringfence/engine';
import { loadPolicy, type Policy } from '@ringfence/policy';
import { stepSome } from '../engine/step-some.ts';
import type { Bar } from '../report/bars.ts';
import { figure, table } from '../report/table.ts';
import { type AttackKind, attackKinds } from './attackers.ts';
import { Freeman } from './freeman.ts';
import { type GeneratedLogin, generateLogins, type Population } from './generate.ts';
import { freemanLogin, loginRecords } from './login-records.ts';

export interface LoginsOptions extends Population {
  readonly rounds: number;
  readonly seed: number;
}

/** Of the honest logins, how many are challenged. */
const challenged = [0.01, 0.05] as const;
const foundMin: Partial<Record<AttackKind, number>> = { naive: 0.95, vpn: 0.9 };
const surpriseUsMax = 5;

/** Thresholds of a rule that reads the surprise of a login with a new device. */
const bitsShown = [4, 6, 8, 10, 12] as const;

const scorers = ['surprise', 'surprise of new devices', 'flags', 'Freeman'] as const;
/** The score of a login with a device that the client is known to use. */
const known = -1_000;
type Scorer = (typeof scorers)[number];
/** The score of each login, NaN without one; higher is riskier. */
type Scores = Readonly<Record<Scorer, Float64Array>>;

const flags = ['device.isNew', 'ip.countryIsNew', 'ip.networkIsNew', 'ip.isNew'];
/** Shows one fact, or several, of each login. */
const policyShowing = (...paths: readonly string[]): Policy =>
  policyOf(paths.map((path) => `has(${path}) || !has(${path})`).join(' && '));

/**
 * How many attacks a score finds at 1 and 5 % of honest logins challenged, without a label: how surprising a login is,
 * the flags of what is new, and Freeman's score. All facts come from the product's engine. Each kind of attack has a run
 * of its own, in which the engine also learns from the attacks.
 */
export async function logins(options: LoginsOptions, print: (text: string) => void): Promise<readonly Bar[]> {
  const bars: Bar[] = [];
  const atBits = [['attack', ...bitsShown.map((bits) => `${bits} bits`)]];
  const rows = [['attack', 'by', ...challenged.map((share) => `found at ${share * 100} %`), 'threshold at 1 %']];
  for (const kind of attackKinds) {
    const generated = generateLogins(options.seed, options, kind);
    const scores = scoresOf(generated);
    const ofNew = scores['surprise of new devices'];
    const above = (isHonest: boolean): string[] =>
      bitsShown.map((bits) => `${(shareFrom(judgedScores(generated, ofNew, isHonest), bits) * 100).toFixed(2)} %`);
    if (kind === 'naive') atBits.push(['none: challenged', ...above(true)]);
    atBits.push([kind, ...above(false)]);
    for (const scorer of scorers) {
      const found = challenged.map((share) => foundAt(generated, scores[scorer], share));
      rows.push([kind, scorer, ...found.map((one) => one.share.toFixed(3)), found[0]!.above.toPrecision(3)]);
      const bar = foundMin[kind];
      if (scorer !== 'surprise' || bar === undefined) continue;
      const what = `found of ${options.attacks} attacks (${kind}) by surprise at 1 % of challenges`;
      bars.push({ what, measured: found[0]!.share, bar, must: 'reach', unit: '' });
    }
  }
  print(`${table(rows)}\nwith a new device, from\n${table(atBits)}`);
  const { withUs, withoutUs } = timed(options);
  print(
    `\na login decided with the surprise ${figure(withUs)} us, without it ${figure(withoutUs)} us (the best of ${options.rounds} rounds each)\n`,
  );
  const what = 'time of an event for the surprise, on the deciding thread';
  return [...bars, { what, measured: withUs - withoutUs, bar: surpriseUsMax, must: 'stay below', unit: 'us' }];
}

/** The share of attacks above the lowest threshold that challenges at most this share of honest logins. */
function foundAt(
  generated: readonly GeneratedLogin[],
  scores: Float64Array,
  share: number,
): { readonly share: number; readonly above: number } {
  const honest = judgedScores(generated, scores, true).toSorted((a, b) => b - a);
  const attacks = judgedScores(generated, scores, false);
  assert(![...honest, ...attacks].some(Number.isNaN), 'every judged login has a score');
  const above = honest[Math.floor(honest.length * share)]!;
  return { share: attacks.filter((score) => score > above).length / attacks.length, above };
}

function judgedScores(
  generated: readonly GeneratedLogin[],
  scores: Float64Array,
  isHonest: boolean,
): readonly number[] {
  return generated.flatMap(({ by, isJudged }, at) => (isJudged && (by === 'client') === isHonest ? [scores[at]!] : []));
}

function shareFrom(scores: readonly number[], bits: number): number {
  return scores.filter((score) => score >= bits).length / scores.length;
}

function scoresOf(generated: readonly GeneratedLogin[]): Scores {
  const none = (): Float64Array => new Float64Array(generated.length).fill(Number.NaN);
  const scores = { surprise: none(), 'surprise of new devices': none(), flags: none(), Freeman: none() };
  const freeman = new Freeman();
  for (const [at, login] of generated.entries()) {
    scores.Freeman[at] = freeman.score(freemanLogin(login)) ?? Number.NaN;
    freeman.learn(freemanLogin(login));
  }
  const policy = policyShowing('client.loginSurprise', ...flags);
  decide(loginRecords(generated, policy), (offset, facts) => {
    const surprise = Number(facts['client.loginSurprise'] ?? Number.NaN);
    scores.surprise[offset - 2] = surprise;
    scores['surprise of new devices'][offset - 2] = facts['device.isNew'] === 'true' ? surprise : known;
    scores.flags[offset - 2] = flags.filter((path) => facts[path] === 'true').length;
  });
  return scores;
}

/** Steps the log as the host does, and passes on the facts that the rule shows. */
function decide(
  records: readonly EngineRecord[],
  take: (offset: number, facts: Readonly<Record<string, string>>) => void,
): void {
  const state = newState({ complete: true });
  for (let from = 0; from < records.length;) {
    const { effects } = stepSome(state, records, { from, read: nothingStored });
    from += effects.length;
    for (const effect of effects.flat()) {
      if (effect.kind === 'decision' && effect.fired[0] !== undefined) take(effect.offset, effect.fired[0].facts);
    }
  }
}

/** Microseconds for a login, with a rule that reads the surprise, and with one that reads a flag, in turns. */
function timed(options: LoginsOptions): { readonly withUs: number; readonly withoutUs: number } {
  const generated = generateLogins(options.seed, options, undefined);
  const [reading, other] = ['client.loginSurprise', 'ip.isNew'].map((path) => {
    const records = loginRecords(generated, policyShowing(path));
    return { records, rounds: [] as number[] };
  });
  for (let round = 0; round < options.rounds; round++) {
    for (const { records, rounds } of [reading!, other!]) {
      // The time of this thread: others collect garbage for it when they have nothing else to do.
      const began = process.threadCpuUsage();
      decide(records, () => {});
      const { user, system } = process.threadCpuUsage(began);
      rounds.push((user + system) / generated.length);
    }
  }
  // Other work on the machine only adds to the time.
  return { withUs: Math.min(...reading!.rounds), withoutUs: Math.min(...other!.rounds) };
}

function nothingStored(): never {
  throw new InvariantError('all entities are in memory');
}

function policyOf(when: string): Policy {
  const text = `rules: [{ reason: 1, name: shows facts, on: [login], when: '${when}', then: { action: 3, message: m }, mode: shadow }]\n`;
  const loaded = loadPolicy([{ path: 'policy.yaml', text }]);
  assert(loaded.ok, `the policy checks: ${loaded.ok ? '' : (loaded.errors[0]?.message ?? '')}`);
  return loaded.policy;
}
