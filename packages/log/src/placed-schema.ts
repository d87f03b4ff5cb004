import { appendFunction } from './append-function.ts';
import { frameKinds } from './entry-frames.ts';
import { floorMs } from './bounds.ts';

/** SQLSTATE of an append to a partition whose records in the store were not yet adopted by this life of the database. */
export const notAdopted = 'RF001';
/** SQLSTATE of an append that a new life of the database has adopted meanwhile. */
export const alreadyAdopted = 'RF002';

/** The log forgets the store: under its new id nothing that is there is ever adopted. */
export const forgetStoreText =
  'DELETE FROM log_place; DELETE FROM log_noted; UPDATE log_store SET id = gen_random_uuid()';

const parameters = `
  batch_partitions text[], batch_counts integer[], now_ms bigint, generations bigint[],
  lengths integer[], block_entries integer[], block_positions integer[], block_lengths integer[],
  key_entries integer[], keys bytea[], fingerprints bytea[], frames bytea`;

/**
 * Blocks whose frames are kept in a record store (record-store.ts); the row has their place (place.ts).
 *
 *   log_store            the id of this log in the store: renewed by a restore, and when the store is left
 *   log_place            how far a partition of the log has come in a partition of the store
 *   log_noted            appends whose bytes are in the store and are not to be adopted: PostgreSQL has stored them
 *                        itself, or a new life has adopted them
 *   log_append_placed()  log_append() for a batch of which some partitions were put into the store
 *   log_place_needed()   the first offset of each partition of the store that is still needed
 *
 * After a restore or a failover, what is in the store behind `floor` and not in the log is adopted. An append ends
 * within 5 s after it was put, so that after a minute all before a place is either in the log or never will be.
 */
export const placedSchema = `
CREATE TABLE log_store (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  id  uuid    NOT NULL DEFAULT gen_random_uuid()
);
INSERT INTO log_store DEFAULT VALUES;

CREATE TABLE log_place (
  number          integer NOT NULL,
  store_partition integer NOT NULL,
  floor           bigint  NOT NULL, -- nothing before it is to be adopted
  floor_end       bigint  NOT NULL, -- the end of the log when it was put
  floor_at_ms     bigint  NOT NULL, -- and the log's time
  next_floor      bigint  NOT NULL, -- becomes the floor when it is old enough
  next_end        bigint  NOT NULL,
  next_at_ms      bigint  NOT NULL,
  adopted_from    bigint  NOT NULL DEFAULT 0, -- needed as long as the log begins before adopted_end
  adopted_end     bigint  NOT NULL DEFAULT 0,
  PRIMARY KEY (number, store_partition)
) WITH (fillfactor = 20);

CREATE TABLE log_noted (
  append_id bytea  PRIMARY KEY,
  at_ms     bigint NOT NULL
);
CREATE INDEX log_noted_age ON log_noted (at_ms);

CREATE OR REPLACE FUNCTION log_open(frames bytea) RETURNS TABLE (place integer, kind text, subject text, payload bytea)
LANGUAGE plpgsql IMMUTABLE AS $log_open$
DECLARE
  at  integer := 0;
  len integer;
BEGIN
  place := 0;
  IF length(frames) > 0 AND get_byte(frames, 0) = 255 THEN -- the records are in the store
    WHILE place < get_byte(frames, 16) * 256 + get_byte(frames, 17) LOOP
      RETURN NEXT;
      place := place + 1;
    END LOOP;
    RETURN;
  END IF;
  WHILE at < length(frames) LOOP
    len := get_byte(frames, at + 1);
    kind := ('{${frameKinds.slice(0, 16).join(',')}}'::text[])[get_byte(frames, at) + 1];
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

${appendFunction({ create: 'CREATE OR REPLACE', newLifeIsNewGeneration: true, refusesClosed: true, newLifeAdopts: notAdopted })}

CREATE FUNCTION log_append_placed(${parameters},
  place_partitions text[], store_partitions integer[], store_offsets bigint[], append_ids bytea[], fallback_ids bytea[]
) RETURNS TABLE (
  first_offset bigint, epoch bigint, log_time_ms bigint,
  stale integer[], conflicts integer[], retry_entries integer[], retry_offsets bigint[]
) LANGUAGE plpgsql SET enable_seqscan = off AS $log_append_placed$
BEGIN
  -- Locked before anything is read: a new life of the database may be adopting. In the order of log_append.
  PERFORM 1 FROM unnest(batch_partitions) WITH ORDINALITY AS b(partition, i) JOIN log_partition p USING (partition)
    ORDER BY b.i FOR UPDATE OF p;
  IF EXISTS (SELECT FROM log_noted n WHERE n.append_id = ANY (append_ids || fallback_ids)) THEN
    RAISE EXCEPTION 'these records were adopted meanwhile' USING ERRCODE = '${alreadyAdopted}';
  END IF;
  IF cardinality(fallback_ids) > 0 THEN
    INSERT INTO log_noted (append_id, at_ms) SELECT f, now_ms FROM unnest(fallback_ids) f;
  END IF;
  RETURN QUERY SELECT * FROM log_append(batch_partitions, batch_counts, now_ms, generations, lengths, block_entries,
    block_positions, block_lengths, key_entries, keys, fingerprints, frames);
  -- Two partitions of the log never share an append, so each of these rows is met once.
  INSERT INTO log_place AS l (number, store_partition, floor, floor_end, floor_at_ms, next_floor, next_end, next_at_ms)
  SELECT p.number, s.store_partition, 0, 0, 0, s.store_offset, p.end_offset, now_ms
    FROM unnest(place_partitions, store_partitions, store_offsets) AS s(partition, store_partition, store_offset)
    JOIN log_partition p USING (partition)
  ON CONFLICT (number, store_partition) DO UPDATE
    SET floor = l.next_floor, floor_end = l.next_end, floor_at_ms = l.next_at_ms,
        next_floor = excluded.next_floor, next_end = excluded.next_end, next_at_ms = excluded.next_at_ms
  WHERE excluded.next_at_ms - l.next_at_ms > ${String(floorMs)};
END
$log_append_placed$;

CREATE FUNCTION log_place_needed() RETURNS TABLE (store_partition integer, needed bigint)
LANGUAGE plpgsql AS $log_place_needed$
DECLARE
  l      record;
  lowest bigint;
  found  integer;
BEGIN
  -- Partitions of the log that are idle hold nothing up: what another one has passed a minute ago is decided for all.
  UPDATE log_place o SET floor = m.floor, floor_at_ms = m.floor_at_ms
    FROM (SELECT DISTINCT ON (1) p.store_partition, p.floor, p.floor_at_ms FROM log_place p ORDER BY 1, 2 DESC) m
   WHERE o.store_partition = m.store_partition AND o.floor < m.floor;
  FOR store_partition, needed IN SELECT p.store_partition, min(p.floor) FROM log_place p GROUP BY 1 LOOP
    FOR l IN SELECT q.*, h.start_offset, h.end_offset, h.range_records
               FROM log_place q JOIN log_partition h USING (number) WHERE q.store_partition = log_place_needed.store_partition LOOP
      IF l.start_offset < l.adopted_end THEN
        needed := least(needed, l.adopted_from);
      END IF;
      -- Places follow the log but for seconds: the first two ranges with any have the oldest.
      found := 0;
      FOR range IN l.start_offset / l.range_records .. l.end_offset / l.range_records LOOP
        CONTINUE WHEN to_regclass(format('log_%s_%s', l.number, range)) IS NULL;
        EXECUTE format(
          'SELECT min((''x'' || encode(substring(frames FROM 7 FOR 8), ''hex''))::bit(64)::bigint) FROM %I
            WHERE get_byte(frames, 0) = 255 AND (''x'' || encode(substring(frames FROM 3 FOR 4), ''hex''))::bit(32)::integer = $1',
          format('log_%s_%s', l.number, range)) INTO lowest USING l.store_partition;
        CONTINUE WHEN lowest IS NULL;
        needed := least(needed, lowest);
        found := found + 1;
        EXIT WHEN found = 2;
      END LOOP;
    END LOOP;
    RETURN NEXT;
  END LOOP;
END
$log_place_needed$;
`;
