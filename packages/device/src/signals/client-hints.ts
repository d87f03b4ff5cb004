import type { About } from '../reference/about.ts';
import { type Signal, unsupported } from '../signal.ts';
import { brandTexts, userAgentData } from '../user-agent-data.ts';

export const about: About = {
  what: 'Client hints that every request carries: brands with their major version, mobile, platform.',
  purpose: 'Compared with the user agent and with the headers that the bank received.',
  stability: 'browser',
  schema: {
    type: 'object',
    properties: {
      brands: { type: 'array', items: { type: 'string', maxLength: 512 }, maxItems: 64 },
      mobile: { type: 'boolean' },
      platform: { type: 'string', maxLength: 512 },
    },
    required: ['brands', 'mobile', 'platform'],
  },
  source: 'https://wicg.github.io/ua-client-hints/',
};

export interface ClientHints {
  readonly [name: string]: string | boolean | readonly string[];
}

export function clientHints(): Signal<ClientHints> {
  const data = userAgentData();
  if (data === undefined) return unsupported;
  const { brands, mobile, platform } = data;
  return { value: { brands: brandTexts(brands), mobile, platform } };
}
