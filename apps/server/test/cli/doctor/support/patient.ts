import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, type QueryResult } from 'pg';
import { onTestFinished } from 'vitest';
import type { Finding } from '../../../../src/cli/doctor/finding.ts';
import { freshDatabase, migratedDatabase, type TestDatabase } from '../../../support/postgres.ts';
import { ringfence, type Said } from '../../../support/terminal.ts';

/** A finding that is not good, as the table of a test has it. */
export type Complaint = readonly [what: string, state: 'bad' | 'unwise', detail: string, mend: string];

/** An installation of its own for one test, to be broken. Nothing runs on it. */
export interface Patient {
  readonly folder: string;
  readonly home: string;
  readonly database: TestDatabase;
  sql(statement: string, values?: readonly unknown[]): Promise<QueryResult>;
  /** Runs a command that must succeed. */
  run(line: string): Promise<string>;
  /** Runs a command. */
  attempt(line: string, environment?: Readonly<Record<string, string>>): Promise<Said>;
  write(name: string, text: string, mode?: number): string;
  /** What doctor complains about, without what every new installation lacks. */
  complaints(line?: string, environment?: Readonly<Record<string, string>>): Promise<readonly Complaint[]>;
}

export const masterKey = Buffer.alloc(32, 5).toString('base64');

/** Nothing answers, and a role of the test database has no workspace yet. */
const ofEveryPatient = new Set(['nothing answers', 'there are none']);

export async function newPatient(): Promise<Patient> {
  const folder = mkdtempSync(join(tmpdir(), 'ringfence-patient-'));
  const home = join(folder, 'home');
  mkdirSync(home, { mode: 0o700 });
  const database = await freshDatabase(migratedDatabase);
  const admin = new Client(database.config);
  await admin.connect();
  onTestFinished(async () => {
    await admin.end();
    rmSync(folder, { recursive: true, force: true });
  });
  const base = {
    DATABASE_URL: database.url,
    RINGFENCE_HOME: home,
    RINGFENCE_MASTER_KEY: masterKey,
    // No service answers on these.
    PORT: '1',
    MANAGEMENT_PORT: '2',
  };
  const attempt: Patient['attempt'] = (line, environment = {}) =>
    ringfence(line, { environment: { ...base, ...environment }, folder });
  return {
    folder,
    home,
    database,
    attempt,
    sql: (statement, values = []) => admin.query(statement, [...values]),
    run: async (line) => {
      const { code, out, err } = await attempt(line);
      if (code !== 0) throw new Error(`${line}: ${err}`);
      return out;
    },
    write: (name, text, mode = 0o600) => {
      const path = join(folder, name);
      mkdirSync(join(path, '..'), { recursive: true, mode: 0o700 });
      writeFileSync(path, text, { mode });
      return path;
    },
    complaints: async (line = 'doctor', environment = {}) => {
      const { out } = await attempt(`${line} --json`, environment);
      return (JSON.parse(out) as Finding[]).flatMap(({ what, state, detail, mend }): Complaint[] => {
        if (state === 'good' || [...ofEveryPatient].some((words) => detail.startsWith(words))) return [];
        return [[what, state, detail, mend!]];
      });
    },
  };
}
