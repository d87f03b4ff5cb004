import { open, rm } from 'node:fs/promises';
import { fileWriter, ParquetWriter, type SchemaElement } from 'hyparquet-writer';
import type { PartFile } from './delivery.ts';
import type { StreamKind } from './stream-settings.ts';

/** Rows, and bytes of their messages, that are in memory until they are written as one row group. */
const groupRowsMax = 20_000;
const groupBytesMax = 16 * 2 ** 20;

type ColumnType = 'STRING' | 'INT64' | 'DOUBLE' | 'BOOLEAN' | 'TIMESTAMP';

interface Column {
  readonly name: string;
  readonly type: ColumnType;
  /** The member of the message, such as `event.amount`. */
  readonly path: string;
}

const column = (name: string, type: ColumnType, path = name): Column => ({ name, type, path });

const everyKind = [
  column('id', 'STRING'),
  column('workspace', 'STRING'),
  column('sequence', 'INT64'),
  column('at', 'TIMESTAMP'),
];
const ofLog = [column('epoch', 'INT64'), column('offset', 'INT64'), column('client', 'STRING')];

/** The typed columns of each kind: what people filter and sum up. The column `message` has everything. */
export const parquetColumns: Readonly<Record<StreamKind, readonly Column[]>> = {
  decisions: [
    ...everyKind,
    ...ofLog,
    column('event_kind', 'STRING', 'event.kind'),
    column('status', 'STRING', 'event.status'),
    column('logged_at', 'TIMESTAMP', 'event.loggedAt'),
    column('event_at', 'TIMESTAMP', 'event.eventAt'),
    column('channel_id', 'INT64', 'event.channelId'),
    column('amount', 'DOUBLE', 'event.amount'),
    column('currency', 'STRING', 'event.currency'),
    column('payee_bank', 'STRING', 'event.payeeBank'),
    column('country', 'STRING', 'event.country'),
    column('policy_version', 'INT64', 'event.policyVersion'),
    column('matched', 'BOOLEAN', 'event.matched'),
    column('score', 'DOUBLE', 'event.score'),
    column('fired', 'STRING', 'event.fired'),
    column('shadow', 'STRING', 'event.shadow'),
  ],
  actions: [
    ...everyKind,
    ...ofLog,
    column('event', 'STRING', 'action.event'),
    column('reason', 'INT64', 'action.reason'),
    column('action', 'INT64', 'action.action'),
    column('channel_id', 'INT64', 'action.channelId'),
    column('expires_at', 'TIMESTAMP', 'action.expiresAt'),
  ],
  alerts: [
    ...everyKind,
    column('client', 'STRING'),
    column('change', 'STRING'),
    column('alert', 'STRING', 'alertId'),
    column('state', 'STRING', 'alert.state'),
    column('risk', 'INT64', 'alert.risk'),
    column('amount', 'DOUBLE', 'alert.amount'),
    column('currency', 'STRING', 'alert.currency'),
    column('decisions', 'INT64', 'alert.decisions'),
    column('outcome', 'STRING', 'alert.outcome'),
    column('loss', 'DOUBLE', 'alert.loss'),
    column('recovered', 'DOUBLE', 'alert.recovered'),
    column('closed_at', 'TIMESTAMP', 'alert.closedAt'),
  ],
  outcomes: [
    ...everyKind,
    ...ofLog,
    column('change', 'STRING'),
    column('event', 'STRING'),
    column('label', 'STRING'),
    column('outcome', 'STRING'),
    column('type', 'STRING'),
    column('loss', 'DOUBLE'),
    column('recovered', 'DOUBLE'),
    column('currency', 'STRING'),
    column('author', 'STRING'),
    column('happened_at', 'TIMESTAMP', 'happenedAt'),
  ],
  audit: [
    ...everyKind,
    column('actor_kind', 'STRING', 'entry.actorKind'),
    column('actor', 'STRING', 'entry.actor'),
    column('action', 'STRING', 'entry.action'),
    column('target', 'STRING', 'entry.target'),
    column('address', 'STRING', 'entry.address'),
    column('hash', 'STRING', 'entry.hash'),
  ],
};

const elements: Readonly<Record<ColumnType, Pick<SchemaElement, 'type' | 'converted_type'>>> = {
  STRING: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  INT64: { type: 'INT64' },
  DOUBLE: { type: 'DOUBLE' },
  BOOLEAN: { type: 'BOOLEAN' },
  TIMESTAMP: { type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' },
};

function schemaOf(columns: readonly Column[]): SchemaElement[] {
  return [
    { name: 'root', num_children: columns.length + 1 },
    ...columns.map(({ name, type }) => ({ name, repetition_type: 'OPTIONAL' as const, ...elements[type] })),
    { name: 'message', repetition_type: 'REQUIRED', type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  ];
}

/** Typed columns, and the whole message as JSON in the column `message`. */
export function parquetFile(path: string, kind: StreamKind): PartFile {
  const columns = parquetColumns[kind];
  const writer = new ParquetWriter({ writer: fileWriter(path), schema: schemaOf(columns), createdBy: 'ringfence' });
  let values: unknown[][] = columns.map(() => []);
  let messages: string[] = [];
  let bytes = 0;
  const writeGroup = async (): Promise<void> => {
    if (messages.length === 0) return;
    const columnData = [
      ...columns.map(({ name }, at) => ({ name, data: values[at]! })),
      { name: 'message', data: messages },
    ];
    await writer.write({ columnData, rowGroupSize: groupRowsMax });
    [values, messages, bytes] = [columns.map(() => []), [], 0];
  };
  return {
    async add(message, json) {
      for (const [at, { type, path: member }] of columns.entries()) values[at]!.push(valueOf(message, member, type));
      messages.push(json);
      bytes += json.length;
      if (messages.length >= groupRowsMax || bytes >= groupBytesMax) await writeGroup();
    },
    async finish() {
      await writeGroup();
      await writer.finish();
      const handle = await open(path, 'r');
      try {
        await handle.sync();
      } finally {
        await handle.close();
      }
    },
    abandon: () => rm(path, { force: true }),
  };
}

function valueOf(message: object, path: string, type: ColumnType): unknown {
  let value: unknown = message;
  for (const name of path.split('.')) value = (value as Readonly<Record<string, unknown>> | undefined)?.[name];
  if (value === undefined || value === null) return undefined;
  switch (type) {
    case 'INT64':
      return BigInt(value as number);
    case 'DOUBLE':
      return Number(value);
    case 'TIMESTAMP':
      return new Date(value as string);
    case 'BOOLEAN':
      return value;
    case 'STRING':
      return typeof value === 'string' ? value : JSON.stringify(value);
  }
}
