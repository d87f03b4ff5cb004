import { type RefObject, useEffect, useRef } from 'react';

/** For a field whose rule HTML cannot state: while the message is not empty, the browser shows it and does not submit. */
export function useCustomValidity<Element extends HTMLInputElement | HTMLTextAreaElement>(
  message: string,
): RefObject<Element | null> {
  const field = useRef<Element>(null);
  useEffect(() => field.current?.setCustomValidity(message), [message]);
  return field;
}
