import { useBlocker } from '@tanstack/react-router';
import { X } from 'lucide-react';
import { type ReactElement, type ReactNode, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly wide?: boolean;
  readonly children: ReactNode;
}

const firstField = ':is(input, select, textarea):not([hidden], [disabled])';

/**
 * A native modal dialog. It keeps typed text from being lost by accident: the first Escape, a click outside and the
 * browser's "back" only warn, and a text selection that ends outside is not a click. The native element traps the focus
 * and needs no inline style, which the content security policy refuses.
 */
export function Dialog({ title, onClose, wide, children }: DialogProps): ReactElement {
  const { t } = useTranslation();
  const element = useRef<HTMLDialogElement>(null);
  const isPressedBeside = useRef(false);
  const isTyped = useRef(false);
  const [isHeld, setHeld] = useState(false);
  /** Whether it may close without a warning. */
  const mayClose = (): boolean => {
    if (!isTyped.current || isHeld) return true;
    setHeld(true);
    return false;
  };
  useBlocker({ shouldBlockFn: () => !mayClose(), enableBeforeUnload: () => isTyped.current });
  useEffect(() => {
    const before = document.activeElement;
    const dialog = element.current!;
    dialog.showModal();
    // The browser would focus the close button: typed text would be lost, and Enter would close the dialog.
    dialog.querySelector<HTMLElement>(firstField)?.focus();
    return () => {
      // A dialog that is unmounted rather than closed does not restore the focus.
      if (before instanceof HTMLElement && document.activeElement === document.body) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={element}
      aria-label={title}
      onClose={onClose}
      onCancel={(event) => event.target === element.current && (mayClose() || event.preventDefault())}
      onInput={() => {
        isTyped.current = true;
        setHeld(false);
      }}
      onSubmit={() => (isTyped.current = false)}
      onPointerDown={(event) => (isPressedBeside.current = event.target === element.current)}
      onClick={(event) => {
        if (event.target === element.current && isPressedBeside.current && mayClose()) onClose();
      }}
      className={`m-auto rounded-xl border border-line bg-card p-0 shadow-lift backdrop:bg-black/40 ${wide === true ? 'w-[56rem]' : 'w-[30rem]'} max-w-[92vw]`}
    >
      <div className="p-5">
        <header className="mb-3 flex items-center gap-3">
          <h2 className="text-base font-semibold">{title}</h2>
          <button
            type="button"
            aria-label={t('act.close')}
            onClick={onClose}
            className="ml-auto grid size-7 place-items-center rounded-md text-soft hover:bg-sunken"
          >
            <X aria-hidden className="size-4" />
          </button>
        </header>
        {children}
        {isHeld ? (
          <p role="status" className="mt-3 text-sm font-medium text-warn">
            {t('state.notSent')}
          </p>
        ) : null}
      </div>
    </dialog>
  );
}
