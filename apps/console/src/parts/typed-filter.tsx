import { type ReactElement, useState } from 'react';
import { inputClass } from './field.tsx';

interface TypedFilterProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly className?: string;
}

/** Applies on Enter or blur: a partial value would match nothing. */
export function TypedFilter({ label, value, onChange, className = 'w-36' }: TypedFilterProps): ReactElement {
  const [text, setText] = useState(value);
  const [shown, setShown] = useState(value);
  if (shown !== value) {
    setShown(value);
    setText(value);
  }
  const commit = (): void => {
    if (text !== value) onChange(text);
  };
  return (
    <input
      aria-label={label}
      placeholder={label}
      value={text}
      onChange={(event) => setText(event.target.value)}
      onBlur={commit}
      onKeyDown={(event) => event.key === 'Enter' && commit()}
      className={`${inputClass} ${className}`}
    />
  );
}
