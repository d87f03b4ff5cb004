import { useEffect, useRef, useSyncExternalStore } from 'react';
import { useLive } from '../api/live.ts';

const kept = 'ringfence.sound';
const heard = 'ringfence.soundedAt';
const listeners = new Set<() => void>();

/** Whether this browser sounds when an alert opens. */
export function isSoundOn(): boolean {
  return localStorage.getItem(kept) === 'on';
}

/** Turning it on plays it: the browser allows sound only after a click. */
export function chooseSound(on: boolean): void {
  if (on) localStorage.setItem(kept, 'on');
  else localStorage.removeItem(kept);
  if (on) play();
  for (const listener of listeners) listener();
}

export function useSoundChoice(): boolean {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, isSoundOn);
}

/** Sounds when an alert opens, in one tab of the browser. */
export function useAlertSound(): void {
  const { numbers } = useLive();
  const newestAt = numbers && (numbers.alerts.newestAt ?? '');
  const before = useRef<string>(undefined);
  useEffect(() => {
    const known = before.current;
    before.current = newestAt;
    // The first numbers of a workspace tell nothing new.
    if (newestAt === undefined || known === undefined || newestAt <= known || !isSoundOn()) return;
    if (newestAt <= (localStorage.getItem(heard) ?? '')) return;
    localStorage.setItem(heard, newestAt);
    play();
  }, [newestAt]);
}

let audio: AudioContext | undefined;

/** Two short notes, the second higher. */
function play(): void {
  audio ??= new AudioContext();
  void audio.resume();
  note(audio, { atS: 0, hertz: 660 });
  note(audio, { atS: 0.14, hertz: 880 });
}

const noteS = 0.16;
const loudness = 0.08;

function note(on: AudioContext, { atS, hertz }: { readonly atS: number; readonly hertz: number }): void {
  const from = on.currentTime + atS;
  const gain = on.createGain();
  gain.gain.setValueAtTime(loudness, from);
  gain.gain.exponentialRampToValueAtTime(0.001, from + noteS);
  const tone = on.createOscillator();
  tone.frequency.value = hertz;
  tone.connect(gain).connect(on.destination);
  tone.start(from);
  tone.stop(from + noteS);
}
