import { describe, expect, it } from 'vitest';
import { factDefinitions } from '../../src/facts/facts.ts';
import { featureDefinitions } from '../../src/sections/feature-kinds.ts';
import { factNoun } from '../../src/words/fact-words.ts';
import { inputReason, inputSentence } from '../../src/words/input-words.ts';
import { wordLanguages } from '../../src/words/language.ts';
import { mistakesOf, policyOf } from '../load.ts';

const features = `
  median90d: { median: order.amount, by: client.id, over: 90d }
  max14d: { max: order.amount, by: client.id, over: 14d }
  amountTo: { sum: order.amount, by: [payee.id, client.id], over: 24h, where: 'order.amount > 5' }
  payees: { distinct: payee.id, by: client.id, over: 1h }
  logins: { count: true, by: device.id, over: 30m, on: login }
  hours: { habit: event.hour, by: client.id, over: 90d, on: operation }
  firstPaid: { firstSeen: true, by: [client.id, payee.id], on: operation }
  usual: { profile: order.amount, by: client.id, halfLife: 30d }
  payeeFraud: { fraudShare: true, after: 7d, by: payee.id, over: 90d, on: operation }
  sinceClear: { sinceClear: true, after: 7d, by: client.id, over: 90d, on: operation }
  rise: { ratio: max14d, to: median90d }
  byBrowser: { count: true, by: device.browser, over: 1h, on: login }`;

/** A policy with one input. */
function inputOf(written: string) {
  const policy = policyOf(`features:${features}
models: { m: { on: [operation], inputs: { oneInput: ${written} } } }
rules: [{ reason: 1, name: r, on: operation, when: model.m.p > 0.5, then: { action: 2 } }]
`);
  return { term: policy.models[0]!.inputs[0]!, definitions: policy };
}

function told(expression: string, value: number | undefined): readonly string[] {
  const input = { ...inputOf(`'${expression}'`), value, currency: 'MXN' };
  return wordLanguages.flatMap((language) => [inputSentence(input, language), inputReason(input, language)]);
}

type Case = readonly [
  expression: string,
  value: number | undefined,
  ...words: readonly [en: string, enLetter: string, es: string, esLetter: string],
];

describe('an input of a model in words, for people of the bank and for a letter', () => {
  it.each<Case>([
    ['order.amount', 4_200, 'amount: 4,200.00 MXN', 'Amount', 'monto: 4,200.00 MXN', 'El monto'],
    [
      'double(order.amount) / double(median90d)',
      31.2,
      "amount is 31 times this client's median of 90 days",
      'Amount, compared with your median of 90 days',
      'el monto es 31 veces la mediana de este cliente en 90 días',
      'El monto, en comparación con su mediana en 90 días',
    ],
    [
      'order.amount / median90d',
      0.4,
      "amount is 40 % of this client's median of 90 days",
      'Amount, compared with your median of 90 days',
      'el monto es el 40 % de la mediana de este cliente en 90 días',
      'El monto, en comparación con su mediana en 90 días',
    ],
    [
      'order.amount / median90d',
      undefined,
      "amount compared with this client's median of 90 days: unknown",
      'Amount, compared with your median of 90 days: unknown',
      'monto en comparación con la mediana de este cliente en 90 días: sin dato',
      'Monto, en comparación con su mediana en 90 días: sin dato',
    ],
    [
      'rise',
      2.54,
      "this client's largest amount of 14 days is 2.5 times this client's median amount of 90 days",
      'Your largest amount of 14 days, compared with your median amount of 90 days',
      'el máximo del monto de este cliente en 14 días es 2.5 veces la mediana del monto de este cliente en 90 días',
      'Su máximo del monto en 14 días, en comparación con su mediana del monto en 90 días',
    ],
    [
      'amountTo',
      1_250.5,
      "this client's total amount with this payee in 1 day (only where order.amount > 5): 1,250.50 MXN",
      'Your total amount with the payee in 1 day',
      'total del monto de este cliente con este beneficiario en 1 día (solo si order.amount > 5): 1,250.50 MXN',
      'Su total del monto con el beneficiario en 1 día',
    ],
    [
      'payees',
      4,
      "this client's number of different payees in 1 hour: 4",
      'Your number of different payees in 1 hour',
      'número de beneficiarios distintos de este cliente en 1 hora: 4',
      'Su número de beneficiarios distintos en 1 hora',
    ],
    [
      'logins',
      3,
      "this device's number of logins in 30 minutes: 3",
      "The device's number of logins in 30 minutes",
      'número de accesos de este dispositivo en 30 minutos: 3',
      'El número de accesos del dispositivo en 30 minutos',
    ],
    [
      'hours',
      0.02,
      "share of this client's earlier operations with the same hour of the day in 90 days: 2 %",
      'Share of your earlier operations with the same hour of the day in 90 days',
      'proporción de operaciones anteriores de este cliente con igual hora del día en 90 días: 2 %',
      'Su proporción de operaciones anteriores con igual hora del día en 90 días',
    ],
    [
      'firstPaid',
      3 * 86_400,
      "3 days since this client's first operation with this payee",
      'Time since your first operation with the payee',
      '3 días desde la primera operación de este cliente con este beneficiario',
      'El tiempo desde su primera operación con el beneficiario',
    ],
    [
      'firstPaid',
      0,
      "this client's first operation with this payee",
      'Your first operation with the payee',
      'primera operación de este cliente con este beneficiario',
      'Primera operación con el beneficiario',
    ],
    [
      'firstPaid == 0s',
      1,
      "this client's first operation with this payee: yes",
      'Your first operation with the payee',
      'primera operación de este cliente con este beneficiario: sí',
      'Primera operación con el beneficiario',
    ],
    [
      'zscore(order.amount, usual)',
      -3.21,
      "amount is 3.2 standard deviations below this client's usual value",
      'Amount, compared with your usual value',
      'el monto está 3.2 desviaciones estándar por debajo del valor habitual de este cliente',
      'El monto, en comparación con su valor habitual',
    ],
    [
      'payeeFraud',
      0.123,
      "share of known fraud among this payee's operations in 90 days: 12 %",
      'Earlier reports about the payee',
      'proporción de fraude conocido en las operaciones de este beneficiario en 90 días: 12 %',
      'Informes anteriores sobre el beneficiario',
    ],
    [
      'sinceClear',
      5_400,
      "1.5 hours since this client's last operation without fraud",
      'Earlier reports about your operations',
      '1.5 horas desde la última operación sin fraude de este cliente',
      'Informes anteriores sobre sus operaciones',
    ],
    ['device.isNew', 1, 'new device: yes', 'New device', 'dispositivo nuevo: sí', 'Dispositivo nuevo'],
    ['device.isNew', 0, 'new device: no', 'New device: no', 'dispositivo nuevo: no', 'Dispositivo nuevo: no'],
    [
      'client.lastSeen',
      60,
      "1 minute since this client's previous event",
      'Time since your previous event',
      '1 minuto desde el evento anterior de este cliente',
      'El tiempo desde su evento anterior',
    ],
    ['event.hour < 6', 1, 'hour of the day < 6: yes', 'Hour of the day', 'hora del día < 6: sí', 'La hora del día'],
    ['ip.country == "MX"', 0, 'country = MX: no', 'Country', 'país = MX: no', 'El país'],
    [
      'session.mismatch',
      1,
      'why there is no session: noLogin',
      'Why there is no session',
      'motivo de que no haya sesión: noLogin',
      'El motivo de que no haya sesión',
    ],
    ['order.amount * 2.0 + 1.0', 5, 'one input: 5', 'One input', 'one input: 5', 'One input'],
  ])('%s with %s', (expression, value, ...words) => {
    expect(told(expression, value)).toEqual(words);
  });

  it('has the words that its author gave to it instead', () => {
    const input = {
      ...inputOf('{ value: double(order.amount) / 2.0, text: { en: Half the amount, es: Mitad del monto } }'),
      value: 12.5,
    };
    expect(input.term.text).toBe('double(order.amount) / 2.0');
    expect(inputSentence(input, 'es')).toBe('Mitad del monto: 12.5');
    expect(inputReason(input, 'en')).toBe('Half the amount');
    const inEnglish = { ...inputOf('{ value: order.amount, text: the amount }'), value: undefined };
    expect(inputSentence(inEnglish, 'es')).toBe('the amount: sin dato');
    expect(inputReason(inEnglish, 'en')).toBe('The amount: unknown');
  });

  it('exists for every fact that a model can read, in both languages', () => {
    const readable = factDefinitions.filter(
      ({ path, type, values }) =>
        path !== 'event.score' &&
        (['int', 'double', 'decimal', 'bool', 'duration'].includes(type) || values !== undefined),
    );
    const without = readable.filter(({ path }) =>
      wordLanguages.some((language) => factNoun(path, { language, reader: 'staff' }) === undefined),
    );
    expect(without.map(({ path }) => path)).toEqual([]);
  });

  it('exists for every kind of feature, in both languages', () => {
    const kinds = featureDefinitions.filter(({ kind }) => kind !== 'ratio' && kind !== 'previous');
    for (const { kind, example } of kinds) {
      const policy = policyOf(
        `features: { f: { ${example}, on: operation } }
models: { m: { on: [operation], inputs: { oneInput: f } } }
rules: [{ reason: 1, name: r, on: operation, when: model.m.p > 0.5, then: { action: 2 } }]
`.replace(/, on: operation, on: operation/, ', on: operation'),
      );
      const input = { term: policy.models[0]!.inputs[0]!, definitions: policy, value: 1 };
      for (const language of wordLanguages) {
        expect(inputSentence(input, language), kind).not.toMatch(/one input|undefined/);
        expect(inputReason(input, language), kind).not.toMatch(/one input|undefined|this client|este cliente/);
      }
    }
  });

  it('is refused without a value, and in no language', () => {
    const mistakes = (written: string) =>
      mistakesOf(`models: { m: { on: [operation], inputs: { a: ${written} } } }
rules: [{ reason: 1, name: r, on: operation, when: model.m.p > 0.5, then: { action: 2 } }]
`).filter((one) => !one.includes('warning'));
    expect(mistakes('{ text: x }')).toEqual([
      expect.stringContaining('the input a has no value => value: double(order.amount)'),
    ]);
    expect(mistakes('{ value: order.amount, text: { spanish: x } }')).toEqual([
      expect.stringContaining('spanish is not a language tag => es'),
    ]);
    expect(mistakes('{ value: order.amount, words: x }')).toEqual([
      expect.stringContaining('an input has no words => one of value, text'),
    ]);
  });
});
