import { Type } from 'typebox';
import { exactly, listOf, oneOf, text, yesOrNo } from '../platform/shapes/shape.ts';
import { streamKinds } from '../streams/stream-settings.ts';
import { workspacesMax } from '../tenancy/workspaces/workspace-store.ts';
import { kafkaConnectionMembers } from './kafka-shape.ts';

const streamsMax = 16;
const every = 'a time from 5m to 24h, in minutes or hours, like 15m or 1h';
const minuteMs = 60_000;
const everyMinMs = 5 * minuteMs;
const everyMaxMs = 24 * 60 * minuteMs;

const fileMembers = {
  format: oneOf(['parquet', 'ndjson'], {
    default: 'parquet',
    description:
      '`parquet`: typed columns, and the whole message as JSON. `ndjson`: a message for each line, with gzip.',
  }),
  every: text({
    maxLength: 8,
    default: '1h',
    expected: every,
    description: 'How often files are written, by the clock: 5m to 24h.',
    refine: (given) => (everyMs(given) === undefined ? every : undefined),
  }),
};

const kafkaShape = exactly(
  {
    ...kafkaConnectionMembers,
    topic: text({
      maxLength: 200,
      default: 'ringfence',
      expected: 'letters, digits, dots, underscores and hyphens',
      description: 'The topics are named with it: `ringfence.decisions`, `ringfence.actions` and so on.',
      refine: (given) => (/^[\w.-]+$/.test(given) ? undefined : 'letters, digits, dots, underscores and hyphens'),
    }),
    createTopics: yesOrNo({
      default: false,
      description: 'Creates missing topics: 6 partitions, 3 replicas, of which 2 must have a message.',
    }),
  },
  { description: 'One Kafka topic for each kind.' },
);

const filesShape = exactly(
  {
    folder: text({
      maxLength: 4_096,
      expected: 'the path of a folder',
      description: 'Where the files are written to.',
    }),
    ...fileMembers,
  },
  { description: 'Files in a folder.' },
);

const s3Shape = exactly(
  {
    endpoint: text({
      maxLength: 300,
      expected: 'a URL like https://s3.eu-central-1.amazonaws.com',
      description: 'The service, without the bucket.',
      refine: (given) => (isOrigin(given) ? undefined : 'a URL like https://s3.eu-central-1.amazonaws.com'),
    }),
    region: text({ maxLength: 64, default: 'us-east-1', expected: 'a region' }),
    bucket: text({
      maxLength: 63,
      expected: 'the name of a bucket',
      refine: (given) => (/^[a-z0-9][a-z0-9.-]+$/.test(given) ? undefined : 'the name of a bucket'),
    }),
    prefix: Type.Optional(
      text({ maxLength: 200, expected: 'a path', description: 'Before the names of the files. Default: none.' }),
    ),
    accessKeyId: text({ maxLength: 256, expected: 'an access key id' }),
    secretAccessKey: text({ maxLength: 1_024, secret: true, expected: 'a secret access key' }),
    caFile: Type.Optional(
      text({
        maxLength: 4_096,
        expected: 'the path of a PEM file with certificates',
        description: 'If set, only these are trusted.',
      }),
    ),
    ...fileMembers,
  },
  { description: 'Objects in a bucket of S3, or of a service that speaks its protocol.' },
);

const streamShape = exactly(
  {
    name: text({
      maxLength: 40,
      expected: 'a name of small letters, digits and hyphens',
      description: 'Identifies the stream: under another name it begins again.',
      refine: (given) => (/^[a-z][a-z0-9-]*$/.test(given) ? undefined : 'a name of small letters, digits and hyphens'),
    }),
    of: Type.Optional(
      listOf(oneOf(streamKinds), {
        minItems: 1,
        maxItems: streamKinds.length,
        description: 'What leaves. Default: all kinds.',
      }),
    ),
    workspaces: Type.Optional(
      listOf(text({ maxLength: 80, expected: 'acme/production' }), {
        minItems: 1,
        maxItems: workspacesMax,
        description: 'Only of these workspaces, as name/environment. Default: all.',
      }),
    ),
    personalData: oneOf(['masked', 'shown'], {
      default: 'masked',
      description: '`masked`: as the console masks personal values. `shown`: in clear.',
    }),
    kafka: Type.Optional(kafkaShape),
    files: Type.Optional(filesShape),
    s3: Type.Optional(s3Shape),
  },
  {
    refine: ({ kafka, files, s3 }) =>
      [kafka, files, s3].filter((target) => target !== undefined).length === 1
        ? undefined
        : [{ path: [], expected: 'one of kafka, files and s3' }],
  },
);

export const streamsShape = listOf(streamShape, {
  maxItems: streamsMax,
  description: 'Where decisions, alerts, actions, outcomes and audit entries leave to, at least once.',
});

export type WrittenStream = Type.Static<typeof streamShape>;

/** `undefined` for a text that is no such time. */
export function everyMs(given: string): number | undefined {
  const parts = /^(\d{1,4})([mh])$/.exec(given);
  const ms = parts === null ? 0 : Number(parts[1]) * (parts[2] === 'h' ? 60 : 1) * minuteMs;
  return ms >= everyMinMs && ms <= everyMaxMs ? ms : undefined;
}

function isOrigin(given: string): boolean {
  return URL.canParse(given) && /^https?:\/\/[^/?#@]+\/?$/.test(given);
}
