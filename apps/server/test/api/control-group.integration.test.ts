/** A control share: who may begin it, and how its events are shown. */
import { type ModelArtifact, sha256, writeArtifact } from '@ringfence/models';
import type { PolicyFile } from '@ringfence/policy';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { applyPolicy } from '../../src/policies/policy-store.ts';
import { readConclusions } from '../../src/ingest/wait/read-conclusions.ts';
import { type Browser, loggedIn } from '../access/accounts/support/browser.ts';
import { ringfence } from '../support/terminal.ts';
import { login, managementKit, type ManagementKit, payment, problemOf } from './support/management-kit.ts';

const artifact: ModelArtifact = {
  format: 'ringfence-model/1',
  inputs: [{ name: 'amount', kind: 'number' }],
  precision: 'double',
  comparison: '<=',
  base: 5,
  trees: [{ input: [-1], value: [0], left: [0], right: [0], missingLeft: [0], cover: [1] }],
};
const text = writeArtifact(artifact);

function filesWith(control: string, name = 'cards'): readonly PolicyFile[] {
  const yaml = `models:
  ${name}:
    on: operation
    artifact: models/cards.json
    sha256: "${sha256(text)}"
    inputs: { amount: order.amount }
    ${control === '' ? '' : `control: { ${control} }`}
rules:
  - { reason: 700, name: By the model, on: operation, when: model.${name}.p > 0.9, then: { action: 4, message: Look }, score: 10 }
`;
  return [
    { path: 'models/cards.json', text },
    { path: 'rules.yaml', text: yaml },
  ];
}

let kit: ManagementKit;
let author: Browser;
let approver: Browser;
const path = (rest: string): string => `/workspaces/${kit.workspace.id}/policies${rest}`;
const apply = (control: string, name?: string) =>
  author.call('POST', path(''), { body: { files: filesWith(control, name), author: 'x' } });
const active = async (): Promise<number | undefined> =>
  (await kit.get<{ items: { version: number; active: boolean }[] }>('policies')).items.find((one) => one.active)
    ?.version;

/** One person requests, another one approves. @returns the version */
async function agree(body: object): Promise<number> {
  const asked = await author.call('POST', path('/requests'), { body });
  const { id, version } = asked.json<{ id: string; version: number }>();
  const approved = await approver.call('POST', path(`/requests/${id}/approve`));
  expect(approved.json()).toMatchObject({ state: 'approved' });
  return version;
}

beforeAll(async () => {
  kit = await managementKit();
  author = await loggedIn(kit, { email: 'author@bank.example', roles: ['author'] });
  approver = await loggedIn(kit, { email: 'approver@bank.example', roles: ['approver', 'author'] });
});

afterAll(() => kit.close());

describe('a control share in a workspace without four eyes', () => {
  const small = 'share: 1%, upTo: 200.00, currency: MXN';
  let without: number;
  let withSmall: number;

  it('is not begun by one person: by the API, a program, a command or a configuration file', async () => {
    const applied = await apply('');
    without = applied.json<{ version: number }>().version;
    const refused = problemOf(await apply(small));
    expect(refused).toMatchObject({ code: 'state.conflict' });
    expect(refused.detail).toContain('Model cards leaves more events alone');
    expect(refused.detail).toContain('1% up to 200 MXN');
    expect(refused.detail).toContain('requestPolicy');
    expect(problemOf(await kit.at('POST', 'policies', { body: { files: filesWith(small), author: 'x' } })).code).toBe(
      'state.conflict',
    );
    const byFile = { files: filesWith(small), author: 'file', comment: '', actor: 'config' } as const;
    await kit.pool.query(`update workspace set policy_owner = 'config' where id = $1`, [kit.workspace.id]);
    await expect(applyPolicy(kit.deps, kit.workspace.id, byFile)).rejects.toThrow(/configuration file/);
    await kit.pool.query(`update workspace set policy_owner = 'api' where id = $1`, [kit.workspace.id]);
    expect(await active()).toBe(without);
  });

  it('begins when a second person approves it', async () => {
    withSmall = await agree({ files: filesWith(small), comment: 'labels of what we stop' });
    expect(await active()).toBe(withSmall);
  });

  it('may be lowered by one person, and not raised: by share, cap, currency or another model', async () => {
    for (const [control, name] of [
      ['share: 2%, upTo: 200, currency: MXN', 'cards'],
      ['share: 1%, upTo: 201, currency: MXN', 'cards'],
      ['share: 1%, upTo: 200, currency: USD', 'cards'],
      [small, 'other'],
    ] as const) {
      expect(problemOf(await apply(control, name)).code).toBe('state.conflict');
    }
    expect(await active()).toBe(withSmall);
    expect((await apply('share: 0.5%, upTo: 100, currency: MXN')).statusCode).toBe(200);
    expect((await apply('')).statusCode).toBe(200);
  });

  it('is not restored by one person: by the API or a command', async () => {
    expect(problemOf(await author.call('POST', path(`/${withSmall}/activate`))).code).toBe('state.conflict');
    const said = await ringfence(`policy activate ${withSmall} -w ${kit.workspace.name}`, {
      environment: { ...kit.home.environment, USER: 'mara' },
    });
    expect(said).toMatchObject({ code: 1, err: expect.stringContaining('takes a second person') });
    await agree({ version: withSmall, comment: 'again' });
    expect(await active()).toBe(withSmall);
  });

  it('is not begun in an emergency, and comes back when one ends', async () => {
    const settings = (fourEyes: boolean) =>
      kit.call('PATCH', `/workspaces/${kit.workspace.id}`, { body: { settings: { fourEyes } } });
    await settings(true);
    const larger = await author.call('POST', path('/requests'), {
      body: { files: filesWith('share: 3%, upTo: 200, currency: MXN'), comment: 'x' },
    });
    const { version } = larger.json<{ version: number }>();
    const act = (to: number) =>
      approver.call('POST', path(`/${to}/emergency`), { body: { reason: 'mules drain accounts' } });
    expect(problemOf(await act(version)).code).toBe('state.conflict');
    const emergency = await act(without);
    expect(emergency.statusCode).toBe(201);
    expect(await active()).toBe(without);
    const { id } = emergency.json<{ id: string }>();
    expect((await approver.call('POST', path(`/requests/${id}/withdraw`))).statusCode).toBe(200);
    expect(await active()).toBe(withSmall);
    await settings(false);
  });
});

describe('an event of a control group', () => {
  const payments = 120;
  let version: number;
  let all: number;
  let alone: readonly {
    readonly id: string;
    readonly control?: readonly number[];
    readonly shadow: readonly number[];
  }[];

  beforeAll(async () => {
    version = await agree({ files: filesWith('share: 10%, upTo: 200, currency: MXN'), comment: 'more' });
    const host = kit.startHost();
    await host.ready;
    await kit.send('login', login('ana'));
    for (let at = 0; at < payments; at++) await kit.send('operation', payment('ana'));
    await kit.settled();
    type List = { items: (typeof alone)[number][] };
    const { items } = await kit.get<List>(`events?reason=700&limit=200`);
    all = items.length;
    alone = items.filter(({ control }) => control !== undefined);
    const labels = alone.map(({ id }, at) => ({ event: id, label: at === 0 ? 'fraud' : 'legitimate' }));
    await kit.at('POST', 'labels', { body: { labels } });
    await kit.settled();
    await host.stop();
  });

  it('is marked in the list, in its detail, and asks for no action', async () => {
    expect(all).toBe(payments);
    expect(alone.length).toBeGreaterThan(0);
    expect(alone.length).toBeLessThan(40);
    expect(alone[0]).toMatchObject({ fired: [], shadow: [700], control: [700] });
    const detail = await kit.get<object>(`events/${alone[0]!.id}`);
    expect(detail).toMatchObject({
      score: 0,
      rules: [{ reason: 700, mode: 'live', suppressed: 'control', withheld: [4] }],
      actions: [],
    });
    const { rows } = await kit.pool.query<{ count: number }>(`select count(*) from action where workspace_id = $1`, [
      kit.workspace.id,
    ]);
    expect(rows[0]!.count).toBe(payments - alone.length);
  });

  it('is answered to the bank as left alone by the policy', async () => {
    const offset = Number(alone[0]!.id.split('_').at(-1));
    const conclusions = await readConclusions(kit, kit.workspace, [offset]);
    expect(conclusions.get(offset)).toMatchObject({
      fired: [],
      actions: [],
      suppressed: [{ reason: 700, why: 'control', action: 4 }],
    });
  });

  it('is explained as such', async () => {
    const said = await ringfence(`events explain ${alone[0]!.id}`, { environment: kit.home.environment });
    expect(said.out).toContain('fired      700 By the model, suppressed (control): does not request');
    expect(said.out).not.toContain('DIFFERENT');
  });

  it('counts among the labels of the rule, and apart from the others', async () => {
    const { items } = await kit.get<{ items: readonly object[] }>(`policies/${version}/health`);
    expect(items).toMatchObject([
      {
        reason: 700,
        fired: payments - alone.length,
        suppressed: alone.length,
        fraud: 1,
        legitimate: alone.length - 1,
        controlFraud: 1,
        controlLegitimate: alone.length - 1,
      },
    ]);
  });
});
