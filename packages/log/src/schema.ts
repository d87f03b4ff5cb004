import { idempotencyKeptMs } from './bounds.ts';
import { frameKinds } from './entry-frames.ts';

/** The kinds of `entry-frames.ts` as SQL has them; of the first release there were ten. */
const kinds = `'{${frameKinds.slice(0, 10).join(',')}}'::text[]`;

/**
 * The log's tables and functions. Forward only: once released, a change is a new text.
 *
 *   log_partition      one row per partition, its head; taken by whoever appends, so commit order is offset order
 *   log_<number>_<k>   the records of partition <number> in the k-th range; made by the append that needs it, dropped whole
 *   log_block          their common ancestor, empty itself: hands its columns down
 *   log_record         a view for people: all records, one by one
 *   log_idempotency    keys that came in the last 24 h
 *   log_life()         names the database's present life; it changes with a restore, a fail-over and a move
 *   log_open()         the entries of a block
 *   log_make_range()   makes log_<number>_<k>, and the function by which appends fill it
 *   log_drop_range()   drops both
 *   log_append()       appends a batch
 *
 * A row is a block: up to a page of entries that were appended together (packages/log/src/entry-frames.ts), whose
 * offsets follow first_offset. So a record costs a seventh of a row and of an index entry.
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

CREATE TABLE log_block (
  first_offset bigint NOT NULL,
  epoch        bigint NOT NULL, -- in force when it was appended
  log_time_ms  bigint NOT NULL,
  retry_of     bigint,          -- set only where the block is one record, a retry
  frames       bytea  NOT NULL
);
ALTER TABLE log_block ALTER COLUMN frames SET STORAGE EXTERNAL; -- sealed: compressing it is lost work

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

CREATE FUNCTION log_open(frames bytea) RETURNS TABLE (place integer, kind text, subject text, payload bytea)
LANGUAGE plpgsql IMMUTABLE AS $log_open$
DECLARE
  at  integer := 0;
  len integer;
BEGIN
  place := 0;
  WHILE at < length(frames) LOOP
    len := get_byte(frames, at + 1);
    kind := (${kinds})[get_byte(frames, at) + 1];
    subject := nullif(convert_from(substring(frames FROM at + 3 FOR len), 'SQL_ASCII'), '');
    at := at + 2 + len;
    len := ('x' || encode(substring(frames FROM at + 1 FOR 4), 'hex'))::bit(32)::integer;
    payload := substring(frames FROM at + 5 FOR len);
    at := at + 4 + len;
    RETURN NEXT;
    place := place + 1;
  END LOOP;
END
$log_open$;

CREATE VIEW log_record AS
  SELECT b.tableoid::regclass AS range, b.first_offset + e.place AS "offset", b.epoch, b.log_time_ms,
         e.kind, e.subject, b.retry_of, e.payload
    FROM log_block b, log_open(b.frames) e;

CREATE FUNCTION log_make_range(partition_number integer, range bigint) RETURNS void LANGUAGE plpgsql AS $log_make_range$
BEGIN
  -- Blocks stay whole up to a page: one insert instead of one for each 2 kB.
  EXECUTE format('CREATE TABLE %I (PRIMARY KEY (first_offset)) INHERITS (log_block) WITH (toast_tuple_target = 8160)',
                 format('log_%s_%s', partition_number, range));
  -- A statement that names its table is planned once in a session: by EXECUTE it would be planned for every batch.
  EXECUTE format($f$
    CREATE FUNCTION %I(first_offset bigint, epoch bigint, log_time_ms bigint, low integer, high integer,
                       block_entries integer[], block_positions integer[], block_lengths integer[], frames bytea)
    RETURNS void LANGUAGE plpgsql AS $put$
    BEGIN
      INSERT INTO %I (first_offset, epoch, log_time_ms, frames)
      SELECT $1 + b.entry - $4, $2, $3, substring($9 FROM b.position FOR b.length)
        FROM unnest($6, $7, $8) AS b(entry, position, length) WHERE b.entry BETWEEN $4 AND $5;
    END $put$ $f$, format('log_put_%s_%s', partition_number, range), format('log_%s_%s', partition_number, range));
END
$log_make_range$;

CREATE FUNCTION log_drop_range(partition_number integer, range bigint) RETURNS void LANGUAGE plpgsql AS $log_drop_range$
BEGIN
  EXECUTE format('DROP TABLE IF EXISTS %I', format('log_%s_%s', partition_number, range));
  EXECUTE format('DROP FUNCTION IF EXISTS %I', format('log_put_%s_%s', partition_number, range));
END
$log_drop_range$;

-- Appends a batch in one round trip. Entries are numbered from 1 over the whole batch and stand in the order of
-- batch_partitions, batch_counts of them for each. An entry of a stale generation, or whose key came before with
-- another fingerprint, is left out; the others get dense offsets. Blocks begin at the entries block_entries; they are
-- stored as they are, unless an entry is left out, repeats another or falls into the next range: then each is a block of
-- its own. One row per partition; no first_offset: unknown partition.
CREATE FUNCTION log_append(
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
    epoch := CASE WHEN head.life = life THEN head.epoch ELSE greatest(head.epoch + 1, now_ms / 1000) END;
    log_time_ms := greatest(head.log_time_ms, now_ms);

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
         SET end_offset = new_end, log_time_ms = log_append.log_time_ms, epoch = log_append.epoch, life = batch.life
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
      PERFORM pg_notify('ringfence_log', batch_partitions[j]);
    END IF;

    RETURN NEXT;
    low := high + 1;
  END LOOP;
END
$log_append$;
`;

/** Lets `log_open` name the kinds that were added since; a release that adds more makes a new step of it. */
export const logKindsSchema = `
CREATE OR REPLACE FUNCTION log_open(frames bytea) RETURNS TABLE (place integer, kind text, subject text, payload bytea)
LANGUAGE plpgsql IMMUTABLE AS $log_open$
DECLARE
  at  integer := 0;
  len integer;
BEGIN
  place := 0;
  WHILE at < length(frames) LOOP
    len := get_byte(frames, at + 1);
    kind := ('{${frameKinds.slice(0, 14).join(',')}}'::text[])[get_byte(frames, at) + 1];
    subject := nullif(convert_from(substring(frames FROM at + 3 FOR len), 'SQL_ASCII'), '');
    at := at + 2 + len;
    len := ('x' || encode(substring(frames FROM at + 1 FOR 4), 'hex'))::bit(32)::integer;
    payload := substring(frames FROM at + 5 FOR len);
    at := at + 4 + len;
    RETURN NEXT;
    place := place + 1;
  END LOOP;
END
$log_open$;
`;
