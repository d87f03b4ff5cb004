import { Client } from 'pg';
import { describe, expect, it } from 'vitest';
import { makePool } from '../../../src/platform/database/database.ts';
import { checkSession, judgeSession } from '../../../src/platform/database/session-settings.ts';
import { freshDatabase } from '../../support/postgres.ts';

async function checked(settings: readonly string[]): Promise<void> {
  const { config } = await freshDatabase();
  const admin = new Client(config);
  await admin.connect();
  for (const setting of settings) await admin.query(`alter database ${config.database} set ${setting}`);
  await admin.end();
  const pool = makePool(config, 1);
  try {
    await checkSession(pool);
  } finally {
    await pool.end();
  }
}

describe('the start', () => {
  it.each([
    ["DateStyle = 'SQL, DMY'", 'DateStyle is "SQL, DMY"'],
    ["bytea_output = 'escape'", 'bytea_output is escape'],
    ['default_transaction_read_only = on', 'default_transaction_read_only is on'],
  ])('refuses a database with %s, and reports it', async (setting, said) => {
    await expect(checked([setting])).rejects.toThrow(said);
  });

  it('accepts another date order and another time zone', async () => {
    const settings = ["DateStyle = 'ISO, DMY'", "timezone = 'America/Mexico_City'"];
    await expect(checked(settings)).resolves.toBeUndefined();
  });

  it('refuses an encoding without all Unicode letters', () => {
    const sound = { dateStyle: 'ISO, MDY', byteaOutput: 'hex', readOnly: 'off' };
    expect(judgeSession({ ...sound, encoding: 'LATIN1' })).toEqual([expect.stringContaining('LATIN1')]);
    expect(judgeSession({ ...sound, encoding: 'UTF8' })).toEqual([]);
  });
});
