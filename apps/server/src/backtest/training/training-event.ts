import type { Decision, Label } from '@ringfence/engine';
import { HistoryReader, type HistoryWriter } from '../../history/history-bytes.ts';

/** An event as a model is trained on it. */
export interface TrainingEvent extends EventTraits {
  readonly offset: number;
  /** The event's own time. */
  readonly atMs: number;
  /** The client's number in this training, so that its events of a day are one alert; 0 if the event has none. */
  readonly client: number;
  /** Events without a label count as legitimate. */
  readonly isFraud: boolean;
  /** What the model reads; NaN is missing. */
  readonly values: Float64Array;
}

/** By which the report tells segments apart. */
export interface EventTraits {
  readonly channelId: number;
  /** Of its order; NaN for an event without an amount. */
  readonly amount: number;
  /** Empty without an amount. */
  readonly currency: string;
  /** Whether the client was first seen within these days. */
  readonly isNewClient: boolean;
}

export const newClientDays = 30;

/** Bytes instead of objects: they pass from the worker's thread without being copied member by member. */
export function packTrainingEvent(
  writer: HistoryWriter,
  { offset, eventAtMs }: Decision,
  {
    label,
    client,
    values,
    ...traits
  }: Omit<TrainingEvent, 'offset' | 'atMs' | 'isFraud'> & { readonly label: Label | undefined },
): void {
  writer.uint(offset);
  writer.int(eventAtMs);
  writer.uint(client);
  writer.uint(label === 'fraud' ? 1 : 0);
  for (const value of values) writer.double(value);
  writer.uint(traits.channelId);
  writer.double(traits.amount);
  writer.text(traits.currency);
  writer.bool(traits.isNewClient);
}

/** @param inputs how many the model has */
export function* unpackTrainingEvents(packed: Uint8Array, inputs: number): Generator<TrainingEvent> {
  const reader = new HistoryReader(packed);
  while (!reader.done) {
    yield {
      offset: reader.uint(),
      atMs: reader.int(),
      client: reader.uint(),
      isFraud: reader.uint() === 1,
      values: Float64Array.from({ length: inputs }, () => reader.double()),
      channelId: reader.uint(),
      amount: reader.double(),
      currency: reader.text(),
      isNewClient: reader.bool(),
    };
  }
}
