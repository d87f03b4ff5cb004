import { appendFunction } from './append-function.ts';
import { frameKinds } from './entry-frames.ts';
import { placedSchema } from './placed-schema.ts';

/** The kinds of `entry-frames.ts` in SQL; the first release had ten. */
const kinds = `'{${frameKinds.slice(0, 10).join(',')}}'::text[]`;

/** What makes the function that puts blocks into a range, for `log_make_range`. */
const makePut = `EXECUTE format($f$
    CREATE FUNCTION %I(first_offset bigint, epoch bigint, log_time_ms bigint, low integer, high integer,
                       block_entries integer[], block_positions integer[], block_lengths integer[], frames bytea)
    RETURNS void LANGUAGE plpgsql AS $put$
    BEGIN
      INSERT INTO %I (first_offset, epoch, log_time_ms, frames)
      SELECT $1 + b.entry - $4, $2, $3, substring($9 FROM b.position FOR b.length)
        FROM unnest($6, $7, $8) AS b(entry, position, length) WHERE b.entry BETWEEN $4 AND $5;
    END $put$ $f$, format('log_put_%s_%s', partition_number, range), format('log_%s_%s', partition_number, range));`;

/**
 * The log's tables and functions. Forward only: a released text never changes, a change is a new text.
 *
 *   log_partition      one row per partition, its head; every append locks it, so commit order is offset order
 *   log_<number>_<k>   the records of partition <number> in the k-th range; created by the first append that needs it,
 *                      dropped as a whole
 *   log_block          their common parent, itself empty: defines the columns
 *   log_record         a view for people: all records, one by one
 *   log_idempotency    keys of the last 24 h
 *   log_life()         identifies the database's present life; changes with a restore, a failover, a move and a copy
 *   log_open()         the entries of a block
 *   log_make_range()   creates log_<number>_<k>, and the function by which appends fill it
 *   log_drop_range()   drops both
 *   log_append()       appends a batch
 *   log_read()         reads blocks of one range
 *
 * A row is a block: up to a page of entries that were appended together (packages/log/src/entry-frames.ts), with
 * consecutive offsets from first_offset. So a record costs a seventh of a row and of an index entry.
 *
 * The ranges use inheritance, not declarative partitioning: dropping a declarative partition locks the whole tree, and
 * appends would wait behind that whenever a backup is reading. And a read names its range, so it costs the same with a
 * thousand of them.
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
  ${makePut}
END
$log_make_range$;

CREATE FUNCTION log_drop_range(partition_number integer, range bigint) RETURNS void LANGUAGE plpgsql AS $log_drop_range$
BEGIN
  EXECUTE format('DROP TABLE IF EXISTS %I', format('log_%s_%s', partition_number, range));
  EXECUTE format('DROP FUNCTION IF EXISTS %I', format('log_put_%s_%s', partition_number, range));
END
$log_drop_range$;

${appendFunction({ create: 'CREATE', atEnd: `      PERFORM pg_notify('ringfence_log', batch_partitions[j]);\n` })}`;

/** Adds newer kinds to `log_open`; a release with more kinds adds another step. */
const logOpen = (kindCount: number): string => `
CREATE OR REPLACE FUNCTION log_open(frames bytea) RETURNS TABLE (place integer, kind text, subject text, payload bytea)
LANGUAGE plpgsql IMMUTABLE AS $log_open$
DECLARE
  at  integer := 0;
  len integer;
BEGIN
  place := 0;
  WHILE at < length(frames) LOOP
    len := get_byte(frames, at + 1);
    kind := ('{${frameKinds.slice(0, kindCount).join(',')}}'::text[])[get_byte(frames, at) + 1];
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

export const logKindsSchema = logOpen(14);
export const logLoopKindsSchema = logOpen(16);

/**
 * Appends without a notification in their own transaction; processes notify each other separately. Source:
 * docs/decisions/0012-log-in-postgresql.md
 */
export const quietAppendSchema = `
${appendFunction({ create: 'CREATE OR REPLACE' })}`;

/**
 * A failover also starts a new generation: entries encrypted before it are encrypted again, under keys that the
 * database has.
 * Source: docs/decisions/0013-log-epoch-after-failover.md
 */
export const newLifeSchema = `
${appendFunction({ create: 'CREATE OR REPLACE', newLifeIsNewGeneration: true })}`;

/**
 * Reads from one range in one round trip. The first row contains the offsets that were read, `low` to before `high`:
 * fewer than requested at the end of the range or the log, and starting later at the start of the log. The blocks
 * follow. No rows: unknown partition. Everything is read in one snapshot, so all records before the end exist; a range
 * that is dropped at that moment raises 42P01.
 *
 * The inner statement is planned for every call: cached plans would be one for each range that a session ever read.
 */
export const logReadSchema = `
CREATE FUNCTION log_read(of_partition text, from_offset bigint, record_limit integer)
RETURNS TABLE (low bigint, high bigint, end_offset bigint,
               first_offset bigint, epoch bigint, log_time_ms bigint, retry_of bigint, frames bytea)
LANGUAGE plpgsql STABLE AS $log_read$
DECLARE
  head log_partition;
BEGIN
  SELECT * INTO head FROM log_partition p WHERE p.partition = of_partition;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  low := greatest(from_offset, head.start_offset);
  high := least(head.end_offset, low + record_limit, (low / head.range_records + 1) * head.range_records);
  end_offset := head.end_offset;
  RETURN NEXT;
  IF low < high THEN
    RETURN QUERY EXECUTE format(
      'SELECT NULL::bigint, NULL::bigint, NULL::bigint, b.first_offset, b.epoch, b.log_time_ms, b.retry_of, b.frames FROM %1$I b
        WHERE b.first_offset >= (SELECT m.first_offset FROM %1$I m WHERE m.first_offset <= $1 ORDER BY m.first_offset DESC LIMIT 1) AND b.first_offset < $2
        ORDER BY b.first_offset', format('log_%s_%s', head.number, low / head.range_records))
      USING low, high;
  END IF;
END
$log_read$;
`;

/**
 * A copy of the log has its own life, even while the original is running: a copy is detected because it is in another
 * database, or another table, than the one to which this step was applied. In the original, the life keeps its name, so
 * that stored data and connected sessions see no change.
 * Source: docs/decisions/0013-log-epoch-after-failover.md
 */
export const logHomeSchema = `
DO $make$
DECLARE
  place constant text := $place$(SELECT d.oid || '/' || 'log_partition'::regclass::oid FROM pg_database d WHERE d.datname = current_database())$place$;
  home  text;
BEGIN
  EXECUTE 'SELECT ' || place INTO home;
  EXECUTE format($f$
    CREATE OR REPLACE FUNCTION log_life() RETURNS text LANGUAGE sql VOLATILE AS $log_life$
      SELECT c.system_identifier || '/' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8)
             || coalesce('/' || nullif(%s, %L), '')
        FROM pg_control_system() c
    $log_life$
  $f$, place, home);
END
$make$;
`;

/**
 * The functions that make and drop ranges refuse what no append and no retention asks for, when they run with the
 * owner's rights for another role: a range that is not next to the log's end, or one that is not before its start.
 */
export const checkedRangesSchema = `
CREATE OR REPLACE FUNCTION log_make_range(partition_number integer, range bigint) RETURNS void LANGUAGE plpgsql AS $log_make_range$
BEGIN
  IF session_user <> current_user AND NOT EXISTS (
    SELECT FROM log_partition p WHERE p.number = partition_number
       AND range BETWEEN p.start_offset / p.range_records AND p.end_offset / p.range_records + 1) THEN
    RAISE EXCEPTION 'range % is not one of partition %', range, partition_number;
  END IF;
  EXECUTE format('CREATE TABLE %I (PRIMARY KEY (first_offset)) INHERITS (log_block) WITH (toast_tuple_target = 8160)',
                 format('log_%s_%s', partition_number, range));
  ${makePut}
END
$log_make_range$;

CREATE OR REPLACE FUNCTION log_drop_range(partition_number integer, range bigint) RETURNS void LANGUAGE plpgsql AS $log_drop_range$
BEGIN
  IF session_user <> current_user AND NOT EXISTS (
    SELECT FROM log_partition p WHERE p.number = partition_number AND range < p.start_offset / p.range_records) THEN
    RAISE EXCEPTION 'range % of partition % is not before the start of the log', range, partition_number;
  END IF;
  EXECUTE format('DROP TABLE IF EXISTS %I', format('log_%s_%s', partition_number, range));
  EXECUTE format('DROP FUNCTION IF EXISTS %I', format('log_put_%s_%s', partition_number, range));
END
$log_drop_range$;
`;

/**
 * A partition that another database has taken over is closed: no process, however long it was stopped, appends to it.
 */
export const closedPartitionsSchema = `
ALTER TABLE log_partition ADD COLUMN closed boolean NOT NULL DEFAULT false;

${appendFunction({ create: 'CREATE OR REPLACE', newLifeIsNewGeneration: true, refusesClosed: true })}`;

/** All steps, oldest first. */
export const logSteps: readonly string[] = [
  logSchema,
  logKindsSchema,
  quietAppendSchema,
  logReadSchema,
  newLifeSchema,
  logHomeSchema,
  logLoopKindsSchema,
  checkedRangesSchema,
  closedPartitionsSchema,
  placedSchema,
];
