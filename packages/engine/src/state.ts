import { dayMs, hourMs, minuteMs, secondMs } from '@ringfence/contract';
import type { Facts, ModelEvaluation, Policy } from '@ringfence/policy';
import { RepeatMemory } from './clients/repeat-memory.ts';
import type { ActionTimes } from './deciding/action-times.ts';
import { DecidingScratch } from './deciding/scratch.ts';
import { Suppressions } from './deciding/suppressions.ts';
import { BrowserVersions } from './devices/browser-versions.ts';
import { TokenMemory } from './devices/token-memory.ts';
import { TraitStatistics } from './devices/trait-statistics.ts';
import type { Decision, Effect } from './effect.ts';
import { engineVersion } from './engine-version.ts';
import { featuresInUseMax, inUseMax, roomyBytes } from './limits.ts';
import { FeatureTable } from './features/store/feature-table.ts';
import type { EntityBounds } from './features/store/layout.ts';
import { HoldBook } from './holds/hold-book.ts';
import { EverybodysLogins } from './habits/everybodys-logins.ts';
import { LiveLists } from './lists/live-lists.ts';
import { emptyPlan, type Plan } from './plan/plan.ts';
import type { EngineSettings } from './record.ts';
import { DirectoryLookup } from './sessions/directory-lookup.ts';
import { EntityStore, type HashKey } from './store/store.ts';
import { WaitingQueue } from './waiting/waiting-queue.ts';

/** In force before the first settings record. Cautious: nothing is sent. */
export const defaultSettings: EngineSettings = {
  sessionGraceMs: 5 * secondMs,
  blockMs: dayMs,
  timezone: 'UTC',
  deliver: 'observe',
  sessionDefaults: { idleMs: 30 * minuteMs, absoluteMs: 12 * hourMs, sessions: 'required' },
  channels: {},
};

const noOffsets: ReadonlySet<number> = new Set();

/**
 * Everything that determines the effects of the next record. Only `step` changes it, in place; the host accesses it
 * through the functions of this package only.
 */
export class EngineState {
  /** Offset and log time of the last record that was stepped. */
  offset: number;
  logTimeMs = 0;
  /** The version that the last `engine` record named. */
  engineVersion: string = engineVersion;
  settings: EngineSettings = defaultSettings;
  policy: Policy | undefined;
  plan: Plan = emptyPlan();
  /** Facts of the event that was decided last, to explain its decision; valid until the next one. */
  decidedFacts: Facts = [];
  /** Offset of the record that is being stepped, or at which an event is decided: the culprit if the engine throws. */
  steppingOffset = -1;
  features: FeatureTable;
  readonly waiting = new WaitingQueue();
  /** By reason. */
  readonly actionTimes = new Map<number, ActionTimes>();
  /** Repeats of operations that name no client. */
  readonly anonymous = new RepeatMemory();
  readonly tokens = new TokenMemory();
  readonly traits = new TraitStatistics();
  readonly browsers = new BrowserVersions();
  readonly everybody = new EverybodysLogins();
  readonly lists = new LiveLists();
  readonly suppressions = new Suppressions();
  readonly holds = new HoldBook();
  /** Epoch of the last record that says its own. */
  epoch: number | undefined;
  readonly store: EntityStore;
  /** Helper of the current look-up, not part of the state. */
  readonly directory: DirectoryLookup;
  readonly scratch = new DecidingScratch();
  /**
   * For a feature backfill: operations that still wait when the new policy begins. The backfill does not apply them,
   * it only records that they were sent; the live engine counts them when it decides them.
   */
  leftWaiting: ReadonlySet<number> = noOffsets;
  /** Offset of the record that is being stepped, once its beginning was noted. */
  enteredOffset = -1;
  /** Effects so far of a record that is stepped in part; `undefined` between two records. */
  effectsSoFar: Effect[] | undefined;
  /** Offset of a login that is applied, while operations that waited for it are not. */
  openingOffset: number | undefined;
  readonly onDecided: StateOptions['onDecided'];
  readonly onEvaluated: StateOptions['onEvaluated'];

  constructor(options: StateOptions) {
    this.offset = options.offset ?? -1;
    this.onDecided = options.onDecided;
    this.onEvaluated = options.onEvaluated;
    this.features = new FeatureTable(options.bounds);
    this.store = new EntityStore({
      complete: options.complete,
      hashKey: options.hashKey ?? [0, 0],
      layouts: (id) => this.features.layout(id),
      inUseMax: options.inUseMax ?? inUseMax,
      featuresInUseMax: options.inUseMax ?? featuresInUseMax,
      roomyBytes: options.roomyBytes ?? roomyBytes,
    });
    this.directory = new DirectoryLookup(this.store);
  }
}

export interface StateOptions {
  /** Whether everything that exists is in memory: nothing is requested, and unknown entities are absent. */
  readonly complete: boolean;
  /** Secret of the hash tables, so that senders cannot choose names that collide. Changes no decision. */
  readonly hashKey?: HashKey;
  /** Offset before the first record; -1 by default. */
  readonly offset?: number;
  /** Called for each decision while its facts are available, to explain it. Changes nothing. */
  readonly onDecided?: ((state: EngineState, decision: Decision) => void) | undefined;
  /**
   * Called for each result of a model, with the log time of the decision, once for each event however it is stepped.
   * Changes nothing.
   */
  readonly onEvaluated?: ((evaluation: ModelEvaluation, logTimeMs: number) => void) | undefined;
  /** How much one entity keeps exactly; only tests set it. */
  readonly bounds?: EntityBounds;
  /** Clients, and feature entities, kept in use; the others are packed. Only tests set it. Changes no decision. */
  readonly inUseMax?: number;
  /** Memory up to which feature entities are not packed; only tests set it. Changes no decision. */
  readonly roomyBytes?: number;
}

/** The state before the first record of a log. By default entities are requested as they are needed. */
export function newState(options: StateOptions = { complete: false }): EngineState {
  return new EngineState(options);
}
