/**
 * Outcomes that the bank reported about events: one row per report record of the log. A label may be taken back: `none`
 * says that the event has no label from then on.
 */
export const eventReportsSchema = `
create table event_report (
  workspace_id  text not null,
  -- The event, as the log numbers it.
  "offset"      bigint not null,
  epoch         bigint not null,
  -- The record that says it.
  record_offset bigint not null,
  subject       text,
  outcome       text not null,
  method        text,
  type          text,
  code          text,
  stage         text,
  loss          numeric,
  recovered     numeric,
  currency      text,
  author        text not null,
  -- Sealed under the client's key.
  note          bytea,
  -- When it happened, as the bank said.
  happened_at   timestamptz,
  reported_at   timestamptz not null,
  -- Finds the reports of an event.
  primary key (workspace_id, "offset", record_offset)
);

alter table label drop constraint label_label_check;
-- Not validated: no row had another value before, and reading all of them would block writers.
alter table label add constraint label_label_check check (label in ('fraud', 'legitimate', 'none')) not valid;
`;
