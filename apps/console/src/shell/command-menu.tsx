import { type NavigateOptions, useNavigate } from '@tanstack/react-router';
import { Command } from 'cmdk';
import { CornerDownLeft, Search } from 'lucide-react';
import { type ReactElement, type RefObject, useCallback, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useWorkspaceName } from '../api/use-workspace.ts';
import { chooseTheme, isDark } from '../look/theme.ts';
import { targetsOf } from './search-targets.ts';
import { useSections } from './sections.ts';

/** Command menu: pages, and search for a client, session, event or rule. */
export function CommandMenu({ onClose }: { readonly onClose: () => void }): ReactElement {
  const { t } = useTranslation();
  const sections = useSections();
  const { element, input, goOn } = useFocus();
  const [text, setText] = useState('');
  const workspace = useWorkspaceName();
  const navigate = useNavigate();
  const run = (act: () => unknown) => () => {
    onClose();
    void act();
  };
  const go = (to: NavigateOptions) => () => {
    goOn();
    onClose();
    void navigate(to);
  };
  return (
    <dialog
      ref={element}
      aria-label={t('shell.search')}
      onClose={onClose}
      onClick={(event) => event.target === element.current && onClose()}
      className="mx-auto mt-[12vh] w-[38rem] max-w-[92vw] rounded-xl border border-line bg-card p-0 shadow-lift backdrop:bg-black/40"
    >
      <Command label={t('shell.search')} loop>
        <div className="flex items-center gap-2.5 border-b border-line px-4">
          <Search aria-hidden className="size-4 text-soft" />
          <Command.Input
            ref={input}
            value={text}
            onValueChange={setText}
            placeholder={t('shell.searchHint')}
            className="h-12 grow bg-transparent text-base outline-none"
          />
        </div>
        <Command.List className="max-h-96 overflow-y-auto p-2">
          <Command.Empty className="p-4 text-center text-sm text-soft">{t('shell.searchNothing')}</Command.Empty>
          {text.trim() === '' ? null : (
            <Group heading={t('shell.find')}>
              {targetsOf(text.trim()).map(({ name, link }) => (
                <Item key={name} value={`${name} ${text}`} onSelect={go(link(workspace))}>
                  {t(`search.${name}`)} <span className="grow truncate font-mono text-xs text-soft">{text.trim()}</span>
                </Item>
              ))}
            </Group>
          )}
          <Group heading={t('shell.pages')}>
            {sections.map(({ to, name, sign: SectionSign, key }) => (
              <Item key={name} value={t(`section.${name}`)} onSelect={go({ to, params: { workspace } })}>
                <SectionSign aria-hidden className="size-4 text-soft" />
                <span className="grow">{t(`section.${name}`)}</span>
                <kbd className="font-mono text-2xs text-soft">g {key}</kbd>
              </Item>
            ))}
          </Group>
          <Group heading={t('shell.looks')}>
            <Item value={t('shell.switchTheme')} onSelect={run(() => chooseTheme(isDark() ? 'light' : 'dark'))}>
              <span className="grow">{t('shell.switchTheme')}</span>
            </Item>
          </Group>
        </Command.List>
      </Command>
    </dialog>
  );
}

interface Focus {
  readonly element: RefObject<HTMLDialogElement | null>;
  readonly input: RefObject<HTMLInputElement | null>;
  /** After navigation, the focus stays on the page and does not return to the opening button. */
  readonly goOn: () => void;
}

/** Focus: the field while the menu is open, then the page or the previous element. */
function useFocus(): Focus {
  const element = useRef<HTMLDialogElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const goesOn = useRef(false);
  useEffect(() => {
    const before = document.activeElement;
    element.current?.showModal();
    // The dialog would focus its first focusable element, and typed text would be lost.
    input.current?.focus();
    return () => {
      if (document.activeElement !== document.body) return;
      const next = goesOn.current ? document.getElementById('main') : before;
      if (next instanceof HTMLElement) next.focus();
    };
  }, []);
  const goOn = useCallback(() => {
    goesOn.current = true;
  }, []);
  return { element, input, goOn };
}

function Group({ heading, children }: { readonly heading: string; readonly children: React.ReactNode }): ReactElement {
  return (
    <Command.Group
      heading={heading}
      className="[&_[cmdk-group-heading]]:eyebrow [&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:py-1.5"
    >
      {children}
    </Command.Group>
  );
}

interface ItemProps {
  readonly value: string;
  readonly onSelect: () => void;
  readonly children: React.ReactNode;
}

function Item({ value, onSelect, children }: ItemProps): ReactElement {
  return (
    <Command.Item
      value={value}
      onSelect={onSelect}
      className="group flex h-9 items-center gap-2.5 rounded-md px-2 text-sm data-[selected=true]:bg-fence-wash"
    >
      {children}
      <CornerDownLeft
        aria-hidden
        className="invisible size-3.5 shrink-0 text-soft group-data-[selected=true]:visible"
      />
    </Command.Item>
  );
}
