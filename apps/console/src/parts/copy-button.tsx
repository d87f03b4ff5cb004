import { Check, Copy } from 'lucide-react';
import { type ReactElement, useState } from 'react';
import { useTranslation } from 'react-i18next';

const shownMs = 1_500;

/** Copies a text and shows a confirmation for a moment. */
export function CopyButton({ text, label }: { readonly text: string; readonly label?: string }): ReactElement {
  const { t } = useTranslation();
  const [done, setDone] = useState(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text);
    setDone(true);
    setTimeout(() => setDone(false), shownMs);
  };
  const Sign = done ? Check : Copy;
  return (
    <button
      type="button"
      onClick={() => void copy()}
      title={t('act.copy')}
      aria-label={label ?? t('act.copy')}
      className="inline-grid size-6 shrink-0 place-items-center rounded text-soft hover:bg-sunken hover:text-ink"
    >
      <Sign aria-hidden className="size-3.5" />
      <span role="status" className="sr-only">
        {done ? t('act.copied') : ''}
      </span>
    </button>
  );
}
