import { logKindsSchema } from '@ringfence/log';

/** Labels of events. One row per label record of the log; the last one of an event counts. */
export const labelsSchema = `
${logKindsSchema}

create table label (
  workspace_id  text not null,
  -- The event, as the log numbers it.
  "offset"      bigint not null,
  epoch         bigint not null,
  -- The record that says it.
  record_offset bigint not null,
  subject       text,
  label         text not null check (label in ('fraud', 'legitimate')),
  author        text not null,
  -- Sealed under the client's key.
  note          bytea,
  labelled_at   timestamptz not null,
  primary key (workspace_id, "offset", record_offset)
);
create index label_newest on label (workspace_id, record_offset desc);
`;
