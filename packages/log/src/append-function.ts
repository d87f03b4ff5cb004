import { idempotencyKeptMs } from './bounds.ts';

/** What differs between the migration steps of the function. */
export interface AppendVariant {
  readonly create: 'CREATE' | 'CREATE OR REPLACE';
  /** Statements to run after entries of a partition were stored. */
  readonly atEnd?: string;
  /** Whether entries encrypted before a failover are stale. */
  readonly newLifeIsNewGeneration?: true;
  /** Whether a closed partition takes no entries. */
  readonly refusesClosed?: true;
  /** SQLSTATE of the refusal while records in a store were not adopted after a failover. */
  readonly newLifeAdopts?: string;
}

/** The SQL function that stores a batch. */
export function appendFunction(variant: AppendVariant): string {
  const { create, atEnd = '', newLifeIsNewGeneration, refusesClosed, newLifeAdopts } = variant;
  const [head, changed] =
    newLifeIsNewGeneration === true
      ? [renewedHead(newLifeAdopts), '']
      : [newEpoch, ', epoch = log_append.epoch, life = batch.life'];
  const heading = refusesClosed === true ? `${aboutClosed}${about}` : about;
  const begin = refusesClosed === true ? `${beginning}${refusal}` : beginning;
  return `${heading}${create} FUNCTION log_append(${begin}${head}${checks}${changed}${storing}${atEnd}${end}`;
}

const about = `-- Appends a batch in one round trip. Entries are numbered from 1 over the whole batch and stand in the order of
-- batch_partitions, batch_counts of them for each. An entry of a stale generation, or whose key came before with
-- another fingerprint, is left out; the others get dense offsets. Blocks begin at the entries block_entries; they are
-- stored as they are, unless an entry is left out, repeats another or falls into the next range: then each is a block of
-- its own. One row per partition; no first_offset: unknown partition.
`;

const beginning = `
  batch_partitions text[], batch_counts integer[], now_ms bigint, generations bigint[],
  lengths integer[], block_entries integer[], block_positions integer[], block_lengths integer[],
  key_entries integer[], keys bytea[], fingerprints bytea[], frames bytea
) RETURNS TABLE (
  first_offset bigint, epoch bigint, log_time_ms bigint,
  stale integer[], conflicts integer[], retry_entries integer[], retry_offsets bigint[]
) LANGUAGE plpgsql SET enable_seqscan = off AS $log_append$
<<batch>>
DECLARE
  -- A session does not outlive a life of the database: looked up once, it holds for all its batches.
  life      text := coalesce(nullif(current_setting('ringfence.life', true), ''),
                             set_config('ringfence.life', log_life(), false));
  head      log_partition;
  low       integer := 1; -- first entry of this partition
  high      integer;      -- last one
  left_out  integer[];
  new_end   bigint;
  range     bigint;
BEGIN
  FOR j IN 1 .. cardinality(batch_partitions) LOOP
    high := low + batch_counts[j] - 1;
    first_offset := NULL; epoch := NULL; log_time_ms := NULL; stale := NULL; conflicts := NULL; retry_entries := NULL; retry_offsets := NULL;

    SELECT * INTO head FROM log_partition p WHERE p.partition = batch_partitions[j] FOR UPDATE;
    IF NOT FOUND THEN
      RETURN NEXT;
      low := high + 1;
      CONTINUE;
    END IF;
    first_offset := head.end_offset;
`;

const aboutClosed = `-- A closed partition takes no entry: its row has an epoch and no first_offset.
`;

const refusal = `    IF head.closed THEN
      first_offset := NULL; epoch := head.epoch;
      RETURN NEXT;
      low := high + 1;
      CONTINUE;
    END IF;
`;

const newEpoch = `    epoch := CASE WHEN head.life = life THEN head.epoch ELSE greatest(head.epoch + 1, now_ms / 1000) END;
`;

/**
 * Processes may have keys of clients that were lost in the failover: the new generation is higher than any that a
 * process can have.
 */
const renewedHead = (refusal?: string): string => `    IF head.life <> life THEN
${refusal === undefined ? '' : refuseUntilAdopted(refusal)}      UPDATE log_partition p
         SET epoch = greatest(head.epoch + 1, now_ms / 1000), generation = greatest(head.generation + 1, now_ms),
             life = batch.life
       WHERE p.number = head.number
      RETURNING p.* INTO head;
    END IF;
    epoch := head.epoch;
`;

const refuseUntilAdopted = (
  sqlState: string,
): string => `      IF EXISTS (SELECT FROM log_place l WHERE l.number = head.number) THEN
        RAISE EXCEPTION 'records of partition % in the store were not adopted yet', head.partition USING ERRCODE = '${sqlState}';
      END IF;
`;

const checks = `    log_time_ms := greatest(head.log_time_ms, now_ms);

    IF (head.generation = ALL (generations[low:high])) IS NOT TRUE THEN
      SELECT array_agg(low + g.i - 1) INTO stale
        FROM unnest(generations[low:high]) WITH ORDINALITY AS g(generation, i) WHERE g.generation <> head.generation;
    END IF;

    IF cardinality(key_entries) > 0 THEN
      SELECT array_agg(e.entry) FILTER (WHERE k.fingerprint <> e.fingerprint),
             array_agg(e.entry) FILTER (WHERE k.fingerprint = e.fingerprint),
             array_agg(k."offset") FILTER (WHERE k.fingerprint = e.fingerprint)
        INTO conflicts, retry_entries, retry_offsets
        FROM unnest(key_entries, keys, fingerprints) AS e(entry, key, fingerprint)
       CROSS JOIN LATERAL ( -- one look into the index per key, however large the table was when this was planned
         SELECT * FROM log_idempotency i WHERE i.number = head.number AND i.key = e.key LIMIT 1
       ) k
       WHERE e.entry BETWEEN low AND high AND k.log_time_ms > log_append.log_time_ms - ${String(idempotencyKeptMs)};
    END IF;
    left_out := coalesce(stale, '{}') || coalesce(conflicts, '{}');
    new_end := first_offset + batch_counts[j];
    IF cardinality(left_out) > 0 THEN
      new_end := new_end - (SELECT count(DISTINCT l) FROM unnest(left_out) l);
    END IF;

    IF new_end > first_offset THEN
      UPDATE log_partition p
         SET end_offset = new_end, log_time_ms = log_append.log_time_ms`;

const storing = `
       WHERE p.number = head.number;

      FOR range IN first_offset / head.range_records .. (new_end - 1) / head.range_records LOOP
        IF to_regclass(format('log_%s_%s', head.number, range)) IS NULL THEN
          PERFORM log_make_range(head.number, range);
        END IF;
        IF cardinality(left_out) = 0 AND retry_entries IS NULL
           AND first_offset / head.range_records = (new_end - 1) / head.range_records THEN
          EXECUTE format('SELECT log_put_%s_%s($1, $2, $3, $4, $5, $6, $7, $8, $9)', head.number, range)
            USING first_offset, epoch, log_append.log_time_ms, low, high, block_entries, block_positions, block_lengths, frames;
          CONTINUE;
        END IF;
        EXECUTE format(
          'INSERT INTO %I (first_offset, epoch, log_time_ms, retry_of, frames)
           SELECT * FROM (
             SELECT $1 + row_number() OVER (ORDER BY e.i) - 1 AS first_offset, $2, $3, r.retry_of,
                    substring($4 FROM e.position FOR e.length)
               FROM (SELECT l.i, l.length, (sum(l.length) OVER (ORDER BY l.i) - l.length + 1)::integer AS position
                       FROM unnest($5) WITH ORDINALITY AS l(length, i)) e
               LEFT JOIN unnest($6, $7) AS r(entry, retry_of) ON r.entry = e.i
              WHERE e.i BETWEEN $8 AND $9 AND e.i <> ALL ($10)
           ) kept WHERE kept.first_offset >= $11 AND kept.first_offset < $12', format('log_%s_%s', head.number, range))
          USING first_offset, epoch, log_append.log_time_ms, frames, lengths, retry_entries, retry_offsets,
                low, high, left_out, range * head.range_records, (range + 1) * head.range_records;
      END LOOP;

      IF cardinality(key_entries) > 0 THEN
        INSERT INTO log_idempotency AS k (number, key, fingerprint, "offset", log_time_ms)
        SELECT head.number, e.key, e.fingerprint,
               first_offset + e.entry - low - (SELECT count(DISTINCT l) FROM unnest(left_out) l WHERE l < e.entry),
               log_append.log_time_ms
          FROM unnest(key_entries, keys, fingerprints) AS e(entry, key, fingerprint)
         WHERE e.entry BETWEEN low AND high AND e.entry <> ALL (left_out) AND e.entry <> ALL (coalesce(retry_entries, '{}'))
        ON CONFLICT (number, key) DO UPDATE -- the one there is older than 24 h
          SET fingerprint = excluded.fingerprint, "offset" = excluded."offset", log_time_ms = excluded.log_time_ms;
      END IF;
`;

const end = `    END IF;

    RETURN NEXT;
    low := high + 1;
  END LOOP;
END
$log_append$;
`;
