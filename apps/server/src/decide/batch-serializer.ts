import { assert, sessionOf, unlessMasked } from '@ringfence/contract';
import {
  actionId,
  encodeActionPayload,
  hashActionContent,
  endingLifetimeMs,
  lifetimeMs,
  type NewAction,
} from '@ringfence/delivery';
import { type Action, type Decision, endingPosition, type HoldEffect, sandboxReasons } from '@ringfence/engine';
import type { LogRecord } from '@ringfence/log';
import type { Pool } from 'pg';
import { type EventIndex, EventIndexer, type FoundBy } from '../console/event-index/event-index.ts';
import { eventId, withEventId } from '../records/event-id.ts';
import { blindIndex } from '../platform/secrets/blind-index.ts';
import { type Place, seal, SealError } from '../platform/secrets/seal.ts';
import { decisionPlace, openEventRecord, type OpenedEvent } from '../records/event-opener.ts';
import { clientPlace, keyAmong, subjectsIn } from '../tenancy/subjects/client-seal.ts';
import type { SubjectKeys } from '../tenancy/subjects/subject-keys.ts';
import type { Workspace } from '../tenancy/workspaces/workspace.ts';
import type { Conclusion, SteppedBatch, SteppedEvent } from './batch.ts';
import type { Batch, EventRow, LateDecision, Position } from './batch-writer.ts';

/** A bank's clients pay to some hundred banks; random names only cause rows to be written that already exist. */
const writtenBanksMax = 10_000;

/** Converts a stepped batch to rows: blind indexes for searchable fields, sealed bytes for personal data. */
export class BatchSerializer {
  #workspace: Workspace;
  readonly #subjects: Pick<SubjectKeys, 'bySubject'>;
  readonly #pool: Pool;
  /** Some of the banks that are in the database. */
  readonly #writtenBanks = new Set<string>();

  constructor(workspace: Workspace, subjects: Pick<SubjectKeys, 'bySubject'>, pool: Pool) {
    this.#workspace = workspace;
    this.#subjects = subjects;
    this.#pool = pool;
  }

  /** Applies changed settings: how long actions may be sent. */
  use(workspace: Workspace): void {
    this.#workspace = workspace;
  }

  async of(stepped: SteppedBatch, position: Position, nowMs: number): Promise<Batch> {
    const concluded = [...stepped.events.values()].flatMap((event) => event.conclusion ?? []).concat(stepped.late);
    const endings = stepped.holds.flatMap((effect) => (effect.kind === 'holdResolved' ? effect.actions : []));
    const keys = await this.#keysFor(concluded, endings);
    const indexer = new EventIndexer(this.#workspace.secrets.index);
    const events = [...stepped.events.values()].map((event) => this.#eventRow(event, keys, indexer));
    for (const record of stepped.aside) events.push(await this.#asideRow(record, indexer));
    const epochs = await this.#epochsOf(stepped);
    const late = stepped.late.map((conclusion): LateDecision => ({
      decision: conclusion.decision,
      detail: this.#detailOf(conclusion, epochs.get(conclusion.decision.offset), keys),
    }));
    const actions = concluded.flatMap((conclusion) =>
      conclusion.actions.map((action) => ({
        ...this.#actionRow(action, epochs.get(action.offset)!, keys),
        // Another process may have stamped the event with a clock that is ahead of this one until both agree again.
        dueAtMs: Math.min(action.atMs, nowMs),
      })),
    );
    const ends = endings.map((action) => ({
      ...this.#actionRow(action, epochs.get(action.offset)!, keys),
      ...this.#ending(action, epochs.get(action.offset)!),
      dueAtMs: Math.min(action.atMs, nowMs),
    }));
    return {
      position,
      events,
      late,
      actions: [...actions, ...ends],
      holds: stepped.holds.map((effect) => ({ effect, epochs })),
      labels: stepped.labels,
      reports: stepped.reports,
      index: this.#newIn(indexer.index()),
    };
  }

  /** Call when the batch is committed. */
  written({ index }: Batch): void {
    for (const bank of index.banks) this.#writtenBanks.add(bank);
    if (this.#writtenBanks.size > writtenBanksMax) this.#writtenBanks.clear();
  }

  /** Keys of the clients whose data will be sealed; clients erased meanwhile are missing. */
  async #keysFor(concluded: readonly Conclusion[], endings: readonly Action[]): Promise<ReadonlyMap<string, Buffer>> {
    const subjects = new Set(endings.flatMap(({ subject }) => subject ?? []));
    for (const { decision, actions } of concluded) {
      if (decision.subject !== undefined && (decision.fired.length > 0 || actions.length > 0)) {
        subjects.add(decision.subject);
      }
    }
    return subjects.size === 0 ? noKeys : this.#subjects.bySubject(this.#workspace, [...subjects]);
  }

  /** An action's id contains the epoch of its event; for an event that waited, the epoch is in the event's row. */
  async #epochsOf(stepped: SteppedBatch): Promise<ReadonlyMap<number, number>> {
    const epochs = new Map<number, number>();
    for (const [offset, event] of stepped.events) epochs.set(offset, event.epoch);
    const late = stepped.late.filter(({ decision, actions }) => actions.length > 0 || decision.fired.length > 0);
    const named = [...late.map(({ decision }) => decision.offset), ...stepped.holds.flatMap(offsetsOf)];
    const earlier = named.filter((offset) => !epochs.has(offset));
    if (earlier.length > 0) {
      // Retention may have removed an event before its hold ends.
      const found = await this.#pool.query<{ offset: number; epoch: number }>(
        `select "offset", epoch from event where workspace_id = $1 and "offset" = any($2)
         union
         select "offset", epoch from hold_member where workspace_id = $1 and "offset" = any($2) and resolution is null`,
        [this.#workspace.id, earlier],
      );
      for (const row of found.rows) epochs.set(row.offset, row.epoch);
    }
    return epochs;
  }

  /** What only an action that ends a hold has: it is exempt from the usual expiry. */
  #ending({ offset, reason, position, atMs }: Action, epoch: number): Pick<NewAction, 'resolves' | 'expiresAtMs'> {
    const asked = { offset, reason, position: position - endingPosition };
    return {
      resolves: actionId({ workspaceId: this.#workspace.id, epoch, ...asked }),
      expiresAtMs: atMs + endingLifetimeMs,
    };
  }

  #eventRow(
    { record, epoch, conclusion }: SteppedEvent,
    keys: ReadonlyMap<string, Buffer>,
    indexer: EventIndexer,
  ): EventRow {
    const event = record.kind === 'event' ? record.event : undefined;
    const session = event === undefined ? undefined : sessionOf(event);
    return {
      record,
      epoch,
      eventKind: event?.kind ?? conclusion?.decision.event ?? 'operation',
      sessionIndex: session === undefined ? undefined : blindIndex(this.#workspace.secrets.index, session, 'session'),
      channelId: event?.channelId,
      status: conclusion?.decision.outcome ?? 'waiting',
      decision: conclusion?.decision,
      detail: conclusion === undefined ? undefined : this.#detailOf(conclusion, epoch, keys),
      foundBy: record.kind === 'event' ? foundByOf(record, indexer) : undefined,
    };
  }

  /** Without the banks that are written already. */
  #newIn({ banks, ...index }: EventIndex): EventIndex {
    return { ...index, banks: banks.filter((bank) => !this.#writtenBanks.has(bank)) };
  }

  async #asideRow(record: LogRecord, indexer: EventIndexer): Promise<EventRow> {
    const { offset, logTimeMs: loggedAtMs } = record;
    const opened = await this.#openAside(record);
    return {
      record,
      epoch: record.epoch,
      eventKind: record.kind,
      sessionIndex: undefined,
      channelId: undefined,
      status: 'quarantined',
      decision: undefined,
      detail: undefined,
      foundBy: opened && indexer.add({ offset, loggedAtMs }, opened),
    };
  }

  /** A quarantined event; `undefined` if it is damaged, or its client's key is damaged or erased. */
  async #openAside(record: LogRecord): Promise<OpenedEvent | undefined> {
    try {
      const keys = await this.#subjects.bySubject(this.#workspace, subjectsIn([record]));
      return openEventRecord(this.#workspace, record, keys);
    } catch (error) {
      if (error instanceof SealError) return undefined;
      throw error;
    }
  }

  #detailOf(
    { decision }: Conclusion,
    epoch: number | undefined,
    keys: ReadonlyMap<string, Buffer>,
  ): Buffer | undefined {
    if (decision.fired.length === 0) return undefined;
    assert(epoch !== undefined, 'the epoch of an event on which rules fired is known');
    const { subject, offset } = decision;
    const place = decisionPlace(this.#workspace.id, { subject, epoch, offset });
    return this.#sealFor(subject, { place, plaintext: Buffer.from(JSON.stringify(detailOf(decision))) }, keys);
  }

  #actionRow(action: Action, epoch: number, keys: ReadonlyMap<string, Buffer>): Omit<NewAction, 'dueAtMs'> {
    const { secrets, settings, id: workspaceId } = this.#workspace;
    const { subject, session } = action;
    const message = withEventId(action.message, eventId({ epoch, offset: action.offset }, this.#workspace));
    const content = { client: action.client ?? '', session, message };
    const payload = { ...content, reference: unlessMasked(action.reference) };
    const id = actionId({ workspaceId, epoch, ...pickIdentity(action) });
    const place = clientPlace('action', { workspaceId, subject }, id);
    return {
      ...pickIdentity(action),
      id,
      workspaceId,
      epoch,
      action: action.action,
      subject,
      sessionIndex: session === '' ? undefined : blindIndex(secrets.index, session, 'session'),
      contentHash: hashActionContent(secrets.index, { ...action, decidedAtMs: action.atMs, ...content }),
      channelId: action.channelId,
      payload: this.#sealFor(subject, { place, plaintext: encodeActionPayload(payload) }, keys) ?? nothing,
      format: action.format,
      state: action.state,
      decidedAtMs: action.atMs,
      expiresAtMs: this.#isToExpire(action)
        ? action.atMs
        : action.atMs + lifetimeMs(action.action, settings.webhook?.expiryMinutes),
    };
  }

  /** Whether a developer asked for an action that is too late to send. */
  #isToExpire({ reason }: Action): boolean {
    return this.#workspace.environment === 'development' && reason === sandboxReasons.expire;
  }

  /** Sealed for its client; `undefined` when that client was just erased. */
  #sealFor(
    subject: string | undefined,
    { place, plaintext }: { readonly place: Place; readonly plaintext: Uint8Array },
    keys: ReadonlyMap<string, Buffer>,
  ): Buffer | undefined {
    const key = keyAmong(keys, this.#workspace, subject);
    return key && seal(key, plaintext, place);
  }
}

function detailOf({ fired, missing, score }: Decision): object {
  return { fired, missing, ...(score === 0 ? {} : { score }) };
}

function foundByOf(
  { offset, logTimeMs: loggedAtMs, event, enrichment }: Extract<SteppedEvent['record'], { kind: 'event' }>,
  indexer: EventIndexer,
): FoundBy {
  return indexer.add({ offset, loggedAtMs }, { ...enrichment, event });
}

/** The events that it names. */
function offsetsOf(effect: HoldEffect): readonly number[] {
  if (effect.kind === 'holdOpened') return [effect.hold.offset];
  if (effect.kind === 'holdJoined' || effect.kind === 'holdLeft') return [effect.member.offset];
  return effect.kind === 'holdResolved' ? effect.actions.map(({ offset }) => offset) : [];
}

function pickIdentity({ offset, reason, position }: Action): Pick<Action, 'offset' | 'reason' | 'position'> {
  return { offset, reason, position };
}

const noKeys: ReadonlyMap<string, Buffer> = new Map();
const nothing = Buffer.alloc(0);
