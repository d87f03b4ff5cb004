import { createContext, useContext } from 'react';
import { type Formats, formatsOf } from './formats.ts';

/** Set by the shell to the language and time zone of the open workspace. */
export const FormatsContext = createContext<Formats>(formatsOf('en', 'UTC'));

export function useFormats(): Formats {
  return useContext(FormatsContext);
}
