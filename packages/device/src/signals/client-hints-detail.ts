import type { About, ValueSchema } from '../reference/about.ts';
import { type Json, type Signal, unsupported } from '../signal.ts';
import { type Brand, brandTexts, userAgentData } from '../user-agent-data.ts';

const texts = ['architecture', 'bitness', 'model', 'platformVersion'] as const;
const text: ValueSchema = { type: 'string', maxLength: 512 };

export const about: About = {
  what: 'Client hints on demand: processor, model, version of the system, full versions of the brands.',
  purpose: 'Contains the model of a phone; a modified user agent often omits these.',
  stability: 'system',
  schema: {
    type: 'object',
    properties: {
      architecture: text,
      bitness: text,
      model: text,
      platformVersion: text,
      brands: { type: 'array', items: text, maxItems: 64 },
    },
  },
  source: 'https://wicg.github.io/ua-client-hints/#getHighEntropyValues',
};

export async function clientHintsDetail(): Promise<Signal<Json>> {
  const data = userAgentData();
  if (data === undefined) return unsupported;
  const found = await data.getHighEntropyValues([...texts, 'fullVersionList']);
  const known = texts.filter((name) => name in found).map((name) => [name, found[name] as Json]);
  const brands = (found['fullVersionList'] ?? []) as readonly Brand[];
  return { value: { ...Object.fromEntries(known), brands: brandTexts(brands) } };
}
