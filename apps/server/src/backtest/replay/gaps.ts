import { engineVersion, type EngineRecord } from '@ringfence/engine';
import type { Pool } from 'pg';
import { replacedReason } from '../../policies/refused-policy.ts';

/** A part of the log whose decisions can't be reproduced, and why. */
export interface Gap {
  readonly kind: 'dropped' | 'erased' | 'engine' | 'policy' | 'quarantined' | 'noted';
  /** Its first offset, and the first one after it. */
  readonly from: number;
  readonly to: number;
  /** Affected records in it. */
  readonly records: number;
  readonly reason: string;
}

/**
 * Whether later decisions may depend on what is missing. Quarantined records are skipped again, and for removed records
 * the state after them is kept.
 */
export function mayChangeWhatFollows({ kind }: Gap): boolean {
  return kind !== 'quarantined' && kind !== 'dropped';
}

/** Detects from the records themselves what can't be reproduced. */
export class GapFinder {
  readonly #erased = { from: -1, to: -1, records: 0, subjects: new Set<string>() };
  readonly #versions: { readonly version: string; readonly from: number }[] = [];
  readonly #policies: { readonly version: number; readonly from: number }[] = [];

  /** @param start where the replay begins, and the version of the policy in force there; 0 for none */
  constructor(start: { readonly offset: number; readonly policyVersion: number }) {
    this.#policies.push({ version: start.policyVersion, from: start.offset });
  }

  /** Records in the order of the log. */
  add(records: readonly EngineRecord[]): void {
    for (const record of records) {
      if (record.kind === 'engine') this.#nameVersion(record.version, record.offset);
      if (record.kind === 'policy') this.#policies.push({ version: record.version, from: record.offset });
      if (record.kind === 'unreadable') this.#noteErased(record.offset, record.subject);
    }
  }

  /**
   * @param end where the replay stopped
   * @param replaced versions of the policy that a release refused, and their replacements
   */
  found(end: number, replaced: ReadonlyMap<number, number>): readonly Gap[] {
    const gaps: Gap[] = [];
    const { from, to, records, subjects } = this.#erased;
    if (records > 0) {
      const clients = subjects.size === 1 ? '1 client that was' : `${subjects.size} clients that were`;
      gaps.push({ kind: 'erased', from, to, records, reason: `events of ${clients} erased since` });
    }
    for (const [i, { version, from: start }] of this.#versions.entries()) {
      if (version === engineVersion) continue;
      const stop = this.#versions[i + 1]?.from ?? end;
      const reason = `decided by engine version ${version}; this is version ${engineVersion}`;
      gaps.push({ kind: 'engine', from: start, to: stop, records: stop - start, reason });
    }
    for (const [i, { version, from: start }] of this.#policies.entries()) {
      const by = replaced.get(version);
      const stop = this.#policies[i + 1]?.from ?? end;
      if (by === undefined || start >= stop) continue;
      gaps.push({
        kind: 'policy',
        from: start,
        to: stop,
        records: stop - start,
        reason: replacedReason(version, by),
      });
    }
    return gaps;
  }

  /** Records before the first version record count as decided by that version. */
  #nameVersion(version: string, offset: number): void {
    const latest = this.#versions.at(-1);
    if (latest?.version !== version) this.#versions.push({ version, from: latest === undefined ? 0 : offset });
  }

  #noteErased(offset: number, subject: string | undefined): void {
    const erased = this.#erased;
    if (erased.records === 0) erased.from = offset;
    erased.to = offset + 1;
    erased.records += 1;
    if (subject !== undefined) erased.subjects.add(subject);
  }
}

/** Gaps recorded by the service: quarantined records, and ranges that were decided differently at a start. */
export async function readKnownGaps(pool: Pool, workspaceId: string, end: number): Promise<readonly Gap[]> {
  const aside = await pool.query<{ offset: number }>(
    `select "offset" from quarantine where workspace_id = $1 and quarantined_at is not null and "offset" < $2 order by 1`,
    [workspaceId, end],
  );
  const noted = await pool.query<{ from_offset: number; to_offset: number; reason: string }>(
    `select from_offset, to_offset, reason from irreproducible_range
      where workspace_id = $1 and from_offset < $2 order by 1, 2`,
    [workspaceId, end],
  );
  return [
    ...aside.rows.map(({ offset }): Gap => {
      const reason = 'in quarantine: the engine failed on it three times';
      return { kind: 'quarantined', from: offset, to: offset + 1, records: 1, reason };
    }),
    ...noted.rows.map(({ from_offset: from, to_offset: to, reason }): Gap => ({
      kind: 'noted',
      from,
      to,
      records: to - from,
      reason,
    })),
  ];
}
