import { digest } from '../digest.ts';
import type { About } from '../reference/about.ts';
import { blocked, type Signal, unsupported } from '../signal.ts';

export const about: About = {
  what: 'Digest of a tenth of a second of sound, computed and never played.',
  purpose:
    'Distinguishes audio engines and processors. `blocked` if the sound is silent or its readings differ: the browser adds noise.',
  stability: 'browser',
  schema: { type: 'string', pattern: '^[A-Za-z0-9_-]{22}$' },
  source: 'https://webaudio.github.io/web-audio-api/#OfflineAudioContext',
};

const samplesPerSecond = 44_100;
const samples = 4_410;

export async function audio(): Promise<Signal<string>> {
  if (typeof OfflineAudioContext === 'undefined') return unsupported;
  const context = new OfflineAudioContext(1, samples, samplesPerSecond);
  const wave = context.createOscillator();
  wave.type = 'sawtooth';
  wave.frequency.value = 613;
  const filter = context.createBiquadFilter();
  filter.type = 'bandpass';
  filter.Q.value = 4.5;
  filter.frequency.setValueAtTime(900, 0);
  filter.frequency.exponentialRampToValueAtTime(5_200, 0.1);
  const compressor = context.createDynamicsCompressor();
  compressor.threshold.value = -38;
  compressor.ratio.value = 9;
  wave.connect(filter).connect(compressor).connect(context.destination);
  wave.start();

  const sound = await context.startRendering();
  // Read in two ways, because added noise differs between readings.
  const copy = new Float32Array(samples);
  sound.copyFromChannel(copy, 0);
  const read = sound.getChannelData(0);
  const isTrue = copy.some((sample) => sample !== 0) && copy.every((sample, at) => sample === read[at]);
  return isTrue ? { value: await digest(copy.subarray(-500).join()) } : blocked;
}
