import { idempotencyKeptMs } from './bounds.ts';

/**
 * The log's tables and functions. Forward only: once released, a change is a new text.
 *
 *   log_partition      one row per partition, its head; taken by whoever appends, so commit order is offset order
 *   log_<number>_<k>   the records of partition <number> in the k-th range; made by the append that needs it, dropped whole
 *   log_record         their common ancestor, empty itself: hands its columns down, and shows all records to a person
 *   log_idempotency    keys that came in the last 24 h
 *   log_life()         names the database's present life; it changes with a restore, a fail-over and a move
 *   log_make_range()   makes log_<number>_<k>
 *   log_append()       appends a batch
 *
 * The ranges inherit and are not declarative partitions: to drop one of those locks the whole tree, behind which
 * appends would wait whenever a backup is reading. And a read names its range, so it costs the same with a thousand of them.
 */
export const logSchema = `
CREATE TABLE log_partition (
  partition     text    PRIMARY KEY,
  number        integer GENERATED ALWAYS AS IDENTITY UNIQUE,
  range_records bigint  NOT NULL CHECK (range_records > 0),
  epoch         bigint  NOT NULL,
  life          text    NOT NULL, -- the database's life in which the epoch began
  start_offset  bigint  NOT NULL DEFAULT 0,
  end_offset    bigint  NOT NULL DEFAULT 0,
  log_time_ms   bigint  NOT NULL DEFAULT 0,
  generation    bigint  NOT NULL DEFAULT 0
) WITH (fillfactor = 20); -- changed by every commit: leaves room for the next version on the same page

CREATE TABLE log_record (
  "offset"    bigint NOT NULL,
  epoch       bigint NOT NULL, -- in force when it was appended
  log_time_ms bigint NOT NULL,
  kind        text   NOT NULL,
  subject     text,
  retry_of    bigint,
  payload     bytea  NOT NULL
);
ALTER TABLE log_record ALTER COLUMN payload SET STORAGE EXTERNAL; -- sealed: compressing it is lost work

CREATE TABLE log_idempotency (
  number      integer NOT NULL,
  key         bytea   NOT NULL,
  fingerprint bytea   NOT NULL,
  "offset"    bigint  NOT NULL,
  log_time_ms bigint  NOT NULL,
  PRIMARY KEY (number, key)
);
CREATE INDEX log_idempotency_age ON log_idempotency (number, log_time_ms);

-- Another cluster, or the same one on another timeline: records that were acknowledged may be missing here, and their
-- offsets are given again. So the first append of a new life begins a new epoch.
CREATE FUNCTION log_life() RETURNS text LANGUAGE sql VOLATILE AS $log_life$
  SELECT system_identifier || '/' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) FROM pg_control_system()
$log_life$;

CREATE FUNCTION log_make_range(partition_number integer, range bigint) RETURNS void LANGUAGE plpgsql AS $log_make_range$
BEGIN
  -- Rows stay whole up to a page: one insert instead of one for each 2 kB.
  EXECUTE format('CREATE TABLE %I (PRIMARY KEY ("offset")) INHERITS (log_record) WITH (toast_tuple_target = 8160)',
                 format('log_%s_%s', partition_number, range));
END
$log_make_range$;

-- Appends a batch in one round trip. Entries are numbered from 1 over the whole batch and stand in the order of
-- batch_partitions, batch_counts of them for each. An entry of a stale generation, or whose key came before with
-- another fingerprint, is left out; the others get dense offsets. One row per partition; no first_offset: unknown partition.
CREATE FUNCTION log_append(
  batch_partitions text[], batch_counts integer[], now_ms bigint,
  kinds text[], subjects text[], positions integer[], lengths integer[], payloads bytea, generations bigint[],
  key_entries integer[], keys bytea[], fingerprints bytea[]
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
  range_table text;
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
    epoch := CASE WHEN head.life = life THEN head.epoch ELSE greatest(head.epoch + 1, now_ms / 1000) END;
    log_time_ms := greatest(head.log_time_ms, now_ms);

    SELECT array_agg(low + g.i - 1) INTO stale
      FROM unnest(generations[low:high]) WITH ORDINALITY AS g(generation, i) WHERE g.generation <> head.generation;

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
    new_end := first_offset + batch_counts[j] - (SELECT count(DISTINCT l) FROM unnest(left_out) l);

    IF new_end > first_offset THEN
      UPDATE log_partition p
         SET end_offset = new_end, log_time_ms = log_append.log_time_ms, epoch = log_append.epoch, life = batch.life
       WHERE p.number = head.number;

      FOR range IN first_offset / head.range_records .. (new_end - 1) / head.range_records LOOP
        range_table := format('log_%s_%s', head.number, range);
        IF to_regclass(range_table) IS NULL THEN
          PERFORM log_make_range(head.number, range);
        END IF;
        IF cardinality(left_out) = 0 AND retry_entries IS NULL
           AND first_offset / head.range_records = (new_end - 1) / head.range_records THEN
          -- What nearly every batch is: planned in a fraction of the time of the general one below.
          EXECUTE format(
            'INSERT INTO %I ("offset", epoch, log_time_ms, kind, subject, payload)
             SELECT $1 + e.i - 1, $2, $3, e.kind, e.subject, substring($4 FROM e.position FOR e.length)
               FROM unnest($5, $6, $7, $8) WITH ORDINALITY AS e(kind, subject, position, length, i)', range_table)
            USING first_offset, epoch, log_append.log_time_ms, payloads,
                  kinds[low:high], subjects[low:high], positions[low:high], lengths[low:high];
          CONTINUE;
        END IF;
        EXECUTE format(
          'INSERT INTO %I ("offset", epoch, log_time_ms, kind, subject, retry_of, payload)
           SELECT * FROM (
             SELECT $1 + row_number() OVER (ORDER BY e.i) - 1 AS "offset", $14, $2, e.kind, e.subject, r.retry_of,
                    substring($3 FROM e.position FOR e.length)
               FROM unnest($4, $5, $6, $7) WITH ORDINALITY AS e(kind, subject, position, length, i)
               LEFT JOIN unnest($8, $9) AS r(entry, retry_of) ON r.entry = e.i + $10 - 1
              WHERE e.i + $10 - 1 <> ALL ($11)
           ) kept WHERE kept."offset" >= $12 AND kept."offset" < $13', range_table)
          USING first_offset, log_append.log_time_ms, payloads,
                kinds[low:high], subjects[low:high], positions[low:high], lengths[low:high],
                retry_entries, retry_offsets, low, left_out,
                range * head.range_records, (range + 1) * head.range_records, epoch;
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
      PERFORM pg_notify('ringfence_log', batch_partitions[j]);
    END IF;

    RETURN NEXT;
    low := high + 1;
  END LOOP;
END
$log_append$;
`;
