import type { About } from '../reference/about.ts';
import type { Signal } from '../signal.ts';

const types = [
  'video/mp4; codecs="avc1.640028"',
  'video/mp4; codecs="hvc1.1.6.L93.B0"',
  'video/mp4; codecs="av01.0.05M.08"',
  'video/webm; codecs="vp9"',
  'video/ogg; codecs="theora"',
  'audio/mp4; codecs="mp4a.40.2"',
  'audio/mp4; codecs="ac-3"',
  'audio/mp4; codecs="alac"',
  'audio/ogg; codecs="opus"',
  'audio/wav; codecs="1"',
] as const;

export const about: About = {
  what: `Which formats the browser reports as playable, one letter each (p probably, m maybe, - no), in this order: ${types.join('; ').replaceAll('; codecs=', ' ')}.`,
  purpose: 'Distinguishes builds of a browser: the open builds that automation uses lack licensed codecs.',
  stability: 'browser',
  schema: { type: 'string', pattern: '^[pm-]{10}$' },
  source: 'https://developer.mozilla.org/docs/Web/API/HTMLMediaElement/canPlayType',
};

export function codecs(): Signal<string> {
  const player = document.createElement('video');
  return { value: types.map((type) => player.canPlayType(type).charAt(0) || '-').join('') };
}
