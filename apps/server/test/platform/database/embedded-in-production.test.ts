import { expect, it } from 'vitest';
import { isEmbeddedInProduction } from '../../../src/platform/database/embedded/in-production.ts';

it.each([
  { kind: 'embedded', environment: 'production', deliver: 'live', warned: true },
  { kind: 'embedded', environment: 'production', deliver: 'observe', warned: false },
  { kind: 'embedded', environment: 'development', deliver: 'live', warned: false },
  { kind: 'external', environment: 'production', deliver: 'live', warned: false },
] as const)('$kind database, $environment workspace that is $deliver: warned $warned', (of) => {
  const { kind, environment, deliver, warned } = of;
  expect(isEmbeddedInProduction(kind, [{ environment, settings: { deliver } }])).toBe(warned);
});
