import { CheckCircle2, CircleAlert, X } from 'lucide-react';
import { createContext, type ReactElement, type ReactNode, useCallback, useContext, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';

interface Notice {
  readonly id: number;
  readonly text: string;
  readonly bad: boolean;
  readonly undo?: (() => void) | undefined;
}

interface Notices {
  /** Shows a notice. `undo` adds a button that reverts the operation. */
  say(text: string, undo?: () => void): void;
  warn(text: string): void;
}

const shownMs = 8_000;
const shownMax = 5;
const NoticesContext = createContext<Notices>({ say: () => undefined, warn: () => undefined });

export function useNotices(): Notices {
  return useContext(NoticesContext);
}

interface NoticesProviderProps {
  /** Shown below the notices. */
  readonly beside?: ReactNode;
  readonly children: ReactNode;
}

/** Short notices about completed operations, which disappear after a while. */
export function NoticesProvider({ beside, children }: NoticesProviderProps): ReactElement {
  const { t } = useTranslation();
  const [notices, setNotices] = useState<readonly Notice[]>([]);
  const close = useCallback((id: number) => setNotices((before) => before.filter((notice) => notice.id !== id)), []);
  const show = useCallback(
    (notice: Omit<Notice, 'id'>) => {
      const id = Date.now() + Math.random();
      setNotices((before) => [...before.slice(1 - shownMax), { ...notice, id }]);
      setTimeout(() => close(id), shownMs);
    },
    [close],
  );
  const value = useMemo<Notices>(
    () => ({
      say: (text, undo) => show({ text, bad: false, undo }),
      warn: (text) => show({ text, bad: true }),
    }),
    [show],
  );
  return (
    <NoticesContext value={value}>
      {children}
      <div className="fixed right-5 bottom-5 z-50 flex w-96 max-w-[90vw] flex-col gap-2 print:hidden">
        <div role="status" className="flex flex-col gap-2">
          {notices.map(({ id, text, bad, undo }) => (
            <div
              key={id}
              className="flex items-center gap-3 rounded-lg border border-line bg-card px-3 py-2.5 text-sm shadow-lift"
            >
              {bad ? (
                <CircleAlert aria-hidden className="size-4 text-bad" />
              ) : (
                <CheckCircle2 aria-hidden className="size-4 text-fence" />
              )}
              <span className="min-w-0 grow">{text}</span>
              {undo === undefined ? null : (
                <button type="button" className="font-medium text-fence" onClick={() => (undo(), close(id))}>
                  {t('act.undo')}
                </button>
              )}
              <button type="button" aria-label={t('act.close')} onClick={() => close(id)} className="text-soft">
                <X aria-hidden className="size-3.5" />
              </button>
            </div>
          ))}
        </div>
        {beside}
      </div>
    </NoticesContext>
  );
}
