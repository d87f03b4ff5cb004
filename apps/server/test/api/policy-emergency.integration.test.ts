/** Four eyes in an emergency: one person activates a version, and it ends unless a second person confirms it. */
import { hourMs } from '@ringfence/contract';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { starterPolicyFolder } from '../../src/config/first-start.ts';
import { readPolicyFolder } from '../../src/config/policy-folder.ts';
import { emergencyMs, endEmergencies } from '../../src/policies/emergency.ts';
import { openPolicies } from '../../src/policies/open-policies.ts';
import { Stages } from '../../src/platform/stages.ts';
import { activatePolicy, keepPolicy } from '../../src/policies/policy-store.ts';
import { workHere } from '../../src/policies/policy-work.ts';
import { type Browser, loggedIn } from '../access/accounts/support/browser.ts';
import { managementKit, type ManagementKit, problemOf } from './support/management-kit.ts';

let kit: ManagementKit;
let author: Browser;
let lead: Browser;
let second: Browser;
const reason = { reason: 'mules drain accounts right now' };

beforeAll(async () => {
  kit = await managementKit();
  author = await loggedIn(kit, { email: 'author@bank.example', roles: ['author'] });
  lead = await loggedIn(kit, { email: 'lead@bank.example', roles: ['author', 'approver'] });
  second = await loggedIn(kit, { email: 'second@bank.example', roles: ['approver'] });
  for (const name of ['2', '3', '4']) await keepPolicy(kit.deps, kit.workspace.id, stored(name));
  await fourEyes(true);
});

afterAll(() => kit.close());

beforeEach(async () => {
  await kit.pool.query(`delete from policy_request`);
  await activatePolicy(kit.deps, kit.workspace.id, { version: 1, actor: 'api' });
});

function stored(name: string) {
  const files = readPolicyFolder(starterPolicyFolder).map((file) => ({ ...file, text: `${file.text}\n# ${name}\n` }));
  return { files, author: 'mara', comment: name, actor: 'api' } as const;
}

interface Answered {
  readonly id: string;
  readonly state: string;
  readonly emergency: { readonly expiresAt: string };
}

const fourEyes = (isOn: boolean): Promise<unknown> =>
  kit.call('PATCH', `/workspaces/${kit.workspace.id}`, { body: { settings: { fourEyes: isOn } } });
const path = (rest: string): string => `/workspaces/${kit.workspace.id}/policies${rest}`;
const activate = (by: Browser, version: number, body: object = reason) =>
  by.call('POST', path(`/${version}/emergency`), { body });
const answer = (by: Browser, id: string, act: string) => by.call('POST', path(`/requests/${id}/${act}`));
const requests = async (): Promise<readonly Answered[]> =>
  (await kit.get<{ items: Answered[] }>('policies/requests')).items;
const active = async (): Promise<number | undefined> =>
  (await kit.get<{ items: { version: number; active: boolean }[] }>('policies')).items.find((one) => one.active)
    ?.version;
/** One round of the job, some time from now: log-ins would not last as long. */
const endDue = (afterMs: number): Promise<number> =>
  endEmergencies({
    ...kit.deps,
    now: () => kit.deps.now() + afterMs,
    logger: { warn: (fields) => expect.fail(JSON.stringify(fields)) },
    work: workHere,
  });
const audited = async (action: string): Promise<readonly object[]> => {
  const { rows } = await kit.pool.query<{ actor: string; detail: string }>(
    `select actor, detail from audit_entry where action = $1 order by seq`,
    [action],
  );
  return rows.map(({ actor, detail }) => ({ actor, ...(JSON.parse(detail) as object) }));
};

describe('a policy in an emergency', () => {
  it('is activated by one person who may approve, with a reason, and is audited as such', async () => {
    expect(problemOf(await activate(author, 2)).code).toBe('right.missing');
    expect(problemOf(await kit.call('POST', path('/2/emergency'), { body: reason })).code).toBe('right.missing');
    for (const short of ['too short', '    short    ']) {
      expect(problemOf(await activate(lead, 2, { reason: short })).code).toBe('request.invalid');
    }
    expect(await active()).toBe(1);
    const made = await activate(lead, 2);
    expect(made.statusCode).toBe(201);
    expect(made.json()).toMatchObject({
      version: 2,
      state: 'emergency',
      askedBy: 'lead@bank.example',
      emergency: { by: 'lead@bank.example', before: 1, ...reason },
    });
    expect(await active()).toBe(2);
    expect((await audited('activatePolicyInEmergency')).at(-1)).toMatchObject({
      actor: 'lead@bank.example',
      before: 1,
      after: 2,
      ...reason,
    });
  });

  it('stays if a second person confirms it in time', async () => {
    const { id } = (await activate(lead, 2)).json<Answered>();
    expect(problemOf(await answer(lead, id, 'approve')).code).toBe('right.missing');
    expect((await answer(second, id, 'approve')).json()).toMatchObject({ state: 'approved' });
    expect(await endDue(emergencyMs + hourMs)).toBe(0);
    expect(await active()).toBe(2);
  });

  it('ends after 24 hours without a second person', async () => {
    const { id } = (await activate(lead, 2)).json<Answered>();
    expect(await endDue(emergencyMs - hourMs)).toBe(0);
    expect(await active()).toBe(2);
    expect(await endDue(emergencyMs)).toBe(1);
    expect(await endDue(emergencyMs)).toBe(0);
    expect(await active()).toBe(1);
    expect(await requests()).toMatchObject([{ id, state: 'expired' }]);
    expect((await audited('expireEmergencyPolicy')).at(-1)).toEqual({
      actor: 'end of an emergency',
      version: 2,
      by: 'lead@bank.example',
      before: 2,
      after: 1,
    });
    // The engine has it from the log, as any other change.
    const { rows } = await kit.pool.query(`select logged_policy from workspace where id = $1`, [kit.workspace.id]);
    expect(rows).toEqual([{ logged_policy: 1 }]);
    expect(problemOf(await answer(second, id, 'approve')).code).toBe('state.conflict');
  });

  it('ends with the start of a service after a longer stop', async () => {
    await activate(lead, 2);
    const stages = new Stages();
    openPolicies({
      ...kit.deps,
      stages,
      logger: pino({ level: 'silent' }),
      now: () => kit.deps.now() + 3 * emergencyMs,
    });
    await expect.poll(active, { timeout: 30_000 }).toBe(1);
    await stages.stop({ onError: (part, error) => expect.fail(`${part}: ${String(error)}`), onCut: () => {} });
  });

  it('ends at once when a second person refuses it, or the first withdraws it', async () => {
    const refused = (await activate(lead, 2)).json<Answered>();
    expect((await answer(second, refused.id, 'refuse')).json()).toMatchObject({ state: 'refused' });
    expect(await active()).toBe(1);
    const withdrawn = (await activate(lead, 3)).json<Answered>();
    expect((await answer(lead, withdrawn.id, 'withdraw')).json()).toMatchObject({ state: 'withdrawn' });
    expect(await active()).toBe(1);
  });

  it('is not prolonged by a further one, which goes back to what two people agreed to', async () => {
    const first = (await activate(lead, 2)).json<Answered>();
    const next = (await activate(lead, 3)).json<Answered>();
    expect(next.emergency).toMatchObject({ before: 1, expiresAt: first.emergency.expiresAt });
    expect((await requests()).map(({ state }) => state)).toEqual(['emergency', 'replaced']);
    expect(problemOf(await activate(lead, 1)).detail).toContain('comes back when');
    expect(await endDue(emergencyMs)).toBe(1);
    expect(await active()).toBe(1);
  });

  it('is over when two people activate another version', async () => {
    const { id } = (await activate(lead, 2)).json<Answered>();
    const asked = (await author.call('POST', path('/requests'), { body: { version: 4 } })).json<Answered>();
    await answer(second, asked.id, 'approve');
    expect(problemOf(await answer(second, id, 'approve')).detail).toContain('Version 4 was activated');
    expect(await endDue(emergencyMs)).toBe(1);
    expect(await active()).toBe(4);
    expect((await requests()).find((one) => one.id === id)).toMatchObject({ state: 'replaced' });
  });

  it('answers the own request for that version, and leaves that of another person to be approved', async () => {
    const own = (await lead.call('POST', path('/requests'), { body: { version: 2 } })).json<Answered>();
    expect((await activate(lead, 2)).json()).toMatchObject({ id: own.id, state: 'emergency' });
    await author.call('POST', path('/requests'), { body: { version: 3 } });
    expect(problemOf(await activate(lead, 3))).toMatchObject({
      code: 'state.conflict',
      detail: 'author@bank.example requested version 3: approve the request instead.',
    });
  });

  it('needs a workspace that requires two people, and a version that is not active', async () => {
    expect(problemOf(await activate(lead, 1)).code).toBe('state.conflict');
    await fourEyes(false);
    expect(problemOf(await activate(lead, 2)).code).toBe('state.conflict');
    await fourEyes(true);
    expect(problemOf(await activate(lead, 99)).code).toBe('thing.unknown');
  });
});
