import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadConfiguration } from '../../src/config/load-configuration.ts';
import type { Configuration } from '../../src/config/configuration.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ringfence-config-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function load(streams: string, environment: Readonly<Record<string, string>> = {}): Configuration {
  writeFileSync(join(folder, 'ringfence.yaml'), `streams:\n${streams}`);
  return loadConfiguration({ config: 'ringfence.yaml' }, environment, folder);
}

describe('streams', () => {
  it('have all kinds, masked, unless the file says otherwise', () => {
    expect(load(`  - { name: archive, files: { folder: lake } }`).streams).toEqual([
      {
        name: 'archive',
        of: ['decisions', 'alerts', 'actions', 'outcomes', 'audit'],
        workspaces: undefined,
        personalData: 'masked',
        target: { kind: 'folder', folder: join(folder, 'lake'), format: 'parquet', everyMs: 3_600_000 },
      },
    ]);
  });

  it('take secrets from the environment', () => {
    const kafka =
      '{ brokers: [a:9092], tls: {}, sasl: { mechanism: PLAIN, username: r, password: "${KAFKA_PASSWORD}" } }';
    const [stream] = load(`  - { name: lake, kafka: ${kafka} }`, { KAFKA_PASSWORD: 'secret' }).streams;
    expect(stream!.target).toMatchObject({
      topic: 'ringfence',
      createTopics: false,
      connection: { brokers: ['a:9092'], sasl: { password: 'secret' } },
    });
  });

  it.each([
    ['{ name: lake }', 'expected one of kafka, files and s3'],
    ['{ name: lake, files: { folder: a }, kafka: { brokers: [a:1] } }', 'expected one of kafka, files and s3'],
    ['{ name: lake, files: { folder: a, every: 1m } }', 'a time from 5m to 24h'],
    ['{ name: lake, kafka: { brokers: [kafka] } }', 'the host and port of a broker'],
    ['{ name: lake, kafka: { brokers: [a:1], tls: { keyFile: a } } }', 'both certFile and keyFile'],
    [
      '{ name: lake, kafka: { brokers: [a:1], sasl: { mechanism: PLAIN, username: u, password: hidden } } }',
      'PLAIN sends the password readable',
    ],
    ['{ name: lake, kafka: { brokers: [a:1], tls: { caFile: none.pem } } }', 'cannot be read'],
    ['{ name: lake, files: { folder: a } }, { name: lake, files: { folder: b } }', 'lake is already declared'],
  ])('are refused when they are wrong: %s', (written, message) => {
    const lines = written.split(/(?<=\}), (?=\{ name)/).map((one) => `  - ${one}\n`);
    expect(() => load(lines.join(''))).toThrow(message);
    expect(() => load(lines.join(''))).not.toThrow('hidden');
  });
});
