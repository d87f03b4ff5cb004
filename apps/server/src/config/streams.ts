import { resolve as resolvePath } from 'node:path';
import { named } from '../platform/shapes/check.ts';
import { streamKinds, type StreamSettings } from '../streams/stream-settings.ts';
import { certificateRefusal } from '../tenancy/workspaces/pem.ts';
import { type Findings, readText } from './declared-workspace.ts';
import { resolveKafkaConnection } from './kafka-connection.ts';
import { everyMs, type WrittenStream } from './streams-shape.ts';

/** The streams of the file. Files that they name are read, to report now what could not be used later. */
export function resolveStreams(
  written: readonly WrittenStream[] | undefined,
  findings: Findings,
): readonly StreamSettings[] {
  const names = new Set<string>();
  return (written ?? []).map((stream, i) => {
    const { name, of = streamKinds, workspaces, personalData } = stream;
    if (names.has(name)) {
      findings.wrong(['streams', i, 'name'], `streams[${i}].name: ${name} is already declared above`);
    }
    names.add(name);
    return { name, of: [...new Set(of)], workspaces, personalData, target: targetOf(stream, i, findings) };
  });
}

function targetOf({ kafka, files, s3 }: WrittenStream, i: number, findings: Findings): StreamSettings['target'] {
  if (kafka !== undefined) {
    const { topic, createTopics, ...connection } = kafka;
    return {
      kind: 'kafka',
      connection: resolveKafkaConnection(connection, ['streams', i, 'kafka'], findings),
      topic,
      createTopics,
    };
  }
  if (files !== undefined) {
    const { folder, format } = files;
    return { kind: 'folder', folder: resolvePath(findings.resolve(folder)), format, everyMs: everyMs(files.every)! };
  }
  const { every: clock, prefix = '', caFile, ...rest } = s3!;
  const path = ['streams', i, 's3', 'caFile'];
  const caPem = caFile === undefined ? undefined : readText(path, caFile, findings);
  const refusal = caPem === undefined ? undefined : certificateRefusal(caPem);
  if (refusal !== undefined) findings.wrong(path, `${named(path)}: expected ${refusal}`);
  return {
    kind: 's3',
    ...rest,
    endpoint: rest.endpoint.replace(/\/$/, ''),
    prefix: prefix.replaceAll(/^\/+|\/+$/g, ''),
    caPem,
    everyMs: everyMs(clock)!,
  };
}
