/** Why a model gave its result: from the inputs that a decision keeps, from a replay, in an alert and on the command line. */
import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { Ensemble, type ModelArtifact, probabilityOf, sha256, writeArtifact } from '@ringfence/models';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { applyPolicy } from '../../../src/policies/policy-store.ts';
import { loggedIn } from '../../access/accounts/support/browser.ts';
import { payment, problemOf } from '../../api/support/management-kit.ts';
import { consoleKit, type ConsoleKit } from '../../console/support/console-kit.ts';
import { ringfence } from '../../support/terminal.ts';
import { readStream, type Told } from './support/read-stream.ts';

/** Two inputs in one tree, so that they share what they add, and a third alone. */
const artifact: ModelArtifact = {
  format: 'ringfence-model/1',
  inputs: [
    { name: 'amount', kind: 'number' },
    { name: 'overAverage', kind: 'number' },
    { name: 'firstPaid', kind: 'boolean' },
  ],
  precision: 'double',
  comparison: '<=',
  base: -3.3,
  trees: [
    {
      input: [0, -1, 1, -1, -1],
      value: [100, -0.7, 2, 1.1, 4.3],
      left: [1, 0, 3, 0, 0],
      right: [2, 0, 4, 0, 0],
      missingLeft: [0, 0, 1, 0, 0],
      cover: [100, 70, 30, 20, 10],
    },
    {
      input: [2, -1, -1],
      value: [0.5, -0.2, 0.9],
      left: [1, 0, 0],
      right: [2, 0, 0],
      missingLeft: [1, 0, 0],
      cover: [100, 60, 40],
    },
  ],
  scores: { margins: [-4.2, 1.9], shares: [0, 0.999] },
};
const artifactText = writeArtifact(artifact);

const policy = `features:
  average30d: { avg: order.amount, by: client.id, over: 30d, excluding: this }
  firstPaid: { firstSeen: true, by: [client.id, payee.id], on: operation }
models:
  cards:
    on: [operation]
    artifact: models/cards.json
    sha256: "${sha256(artifactText)}"
    inputs:
      amount: order.amount
      overAverage: double(order.amount) / double(average30d)
      firstPaid: { value: firstPaid == 0s, text: { en: New payment, es: Pago nuevo } }
rules:
  - { reason: 700, name: Likely fraud by the model, on: [operation], when: model.cards.p >= 0.5, then: { action: 4, message: x } }
`;

let kit: ConsoleKit;
let base: string;
/** A small payment, and one on which the rule fires. */
let [quiet, loud] = ['', ''];

beforeAll(async () => {
  kit = await consoleKit();
  const files = [
    { path: 'rules.yaml', text: policy },
    { path: 'models/cards.json', text: artifactText },
  ];
  await applyPolicy(kit.deps, kit.workspace.id, { files, author: 'test', comment: '', actor: 'api' });
  const pay = (amount: number, accountNumber: string) =>
    kit.send('operation', {
      ...payment('ana', randomUUID()),
      order: { amount, currency: 'MXN' },
      accountTo: { bank: 'B1', accountNumber },
    });
  for (const amount of [80, 120]) await pay(amount, '42');
  await pay(4_200, '77');
  await kit.fed();
  const { rows } = await kit.pool.query<{ id: string }>(
    `select 'evt_' || epoch || '_' || "offset" as id from event where workspace_id = $1 order by "offset"`,
    [kit.workspace.id],
  );
  [, quiet = '', loud = ''] = rows.map(({ id }) => id);
  await kit.app.listen({ host: '127.0.0.1', port: 0 });
  base = `http://127.0.0.1:${(kit.app.server.address() as AddressInfo).port}/management/v1/workspaces/${kit.workspace.id}`;
});
afterAll(() => kit.close());

interface Explained {
  readonly basis: string;
  readonly policyVersion: number;
  readonly differences: number;
  readonly models: readonly {
    readonly name: string;
    readonly sha256: string;
    readonly p: number;
    readonly score: string;
    readonly margin: number;
    readonly expected: number;
    readonly inputs: readonly {
      readonly name: string;
      readonly value?: number;
      readonly contribution: number;
      readonly words: object;
    }[];
    readonly reasons: object;
  }[];
}

const asProgram = { authorization: 'Bearer rf_admin_token-of-the-tests-of-management' };

async function explain(event: string, body: object, headers: Readonly<Record<string, string>>): Promise<Explained> {
  const response = await fetch(`${base}/events/${event}/explain`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(200);
  const told: Told[] = [];
  for await (const one of readStream(response)) told.push(one);
  expect(told.at(-1)?.event).toBe('explained');
  return told.at(-1)!.data as Explained;
}

describe('the explanation of a model', () => {
  it('comes from the kept inputs where a rule about it fired, and equals that of a replay', async () => {
    const kept = await explain(loud, {}, asProgram);
    const again = await explain(loud, { again: true }, asProgram);
    expect(kept.basis).toBe('kept');
    expect(again).toEqual({ ...kept, basis: 'again' });
    const [model] = kept.models;
    const margin = new Ensemble(artifact).margin(Float64Array.of(4_200, 42, 1));
    expect(model).toMatchObject({
      name: 'cards',
      sha256: sha256(artifactText),
      p: probabilityOf(margin),
      score: '999',
      margin,
    });
    expect(kept.policyVersion).toBeGreaterThan(0);
    expect(model!.inputs.map(({ name, value }) => [name, value])).toEqual([
      ['amount', 4_200],
      ['overAverage', 42],
      ['firstPaid', 1],
    ]);
    const sum = model!.inputs.reduce((total, { contribution }) => total + contribution, model!.expected);
    expect(Math.abs(sum - margin)).toBeLessThan(1e-9);
  });

  it('has words in English and Spanish, and reasons for a letter', async () => {
    const { models } = await explain(loud, {}, asProgram);
    expect(models[0]!.inputs.map(({ words }) => words)).toEqual([
      { en: 'amount: 4,200.00 MXN', es: 'monto: 4,200.00 MXN' },
      {
        en: "amount is 42 times this client's average of 30 days",
        es: 'el monto es 42 veces el promedio de este cliente en 30 días',
      },
      { en: 'New payment: yes', es: 'Pago nuevo: sí' },
    ]);
    expect(models[0]!.reasons).toEqual({
      en: ['Amount', 'Amount, compared with your average of 30 days', 'New payment'],
      es: ['El monto', 'El monto, en comparación con su promedio en 30 días', 'Pago nuevo'],
    });
  });

  it('is computed again where no rule fired', async () => {
    const { basis, models, differences } = await explain(quiet, {}, asProgram);
    expect({ basis, differences }).toEqual({ basis: 'again', differences: 0 });
    const [model] = models;
    expect(model!.inputs.map(({ value }) => value)).toEqual([120, 1.5, 0]);
    const sum = model!.inputs.reduce((total, { contribution }) => total + contribution, model!.expected);
    expect(Math.abs(sum - model!.margin)).toBeLessThan(1e-9);
  });

  it('is seen by a viewer, and by no other workspace', async () => {
    const viewer = await loggedIn(kit, { email: 'vera@bank.example', roles: ['viewer'] });
    const headers = { cookie: viewer.cookie!, 'x-csrf-token': viewer.csrf!, origin: new URL(base).origin };
    expect((await explain(loud, {}, headers)).models).toHaveLength(1);
    expect(problemOf(await kit.at('POST', 'events/evt_1_999/explain', { body: {} })).code).toBe('thing.unknown');
  });

  it('appears in the alert with what raised the probability most', async () => {
    const { items } = await kit.get<{ items: { id: string }[] }>('alerts');
    const { facts } = await kit.get<{ facts: { models: object } }>(`alerts/${items[0]!.id}/facts`);
    expect(facts.models).toEqual([
      {
        name: 'cards',
        p: expect.closeTo(0.86, 1),
        raisedBy: [
          { en: 'amount: 4,200.00 MXN', es: 'monto: 4,200.00 MXN' },
          {
            en: "amount is 42 times this client's average of 30 days",
            es: 'el monto es 42 veces el promedio de este cliente en 30 días',
          },
          { en: 'New payment: yes', es: 'Pago nuevo: sí' },
        ],
      },
    ]);
  });

  it('is printed by the command line, with its reasons alone to copy', async () => {
    const { environment } = kit.home;
    const said = await ringfence(`events explain ${loud}`, { environment });
    expect(said.out).toMatch(/model {6}cards: p = 0\.\d+, score 999; in log-odds/);
    expect(said.out).toContain(
      "amount is 42 times this client's average of 30 days   [overAverage = 42: double(order.amount) / double(average30d)]",
    );
    const letter = await ringfence(`events explain ${loud} --reasons es`, { environment });
    expect(letter).toMatchObject({
      code: 0,
      out: 'cards:\nEl monto\nEl monto, en comparación con su promedio en 30 días\nPago nuevo\n',
    });
  });
});
