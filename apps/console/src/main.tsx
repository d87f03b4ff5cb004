import '@fontsource-variable/inter';
import './look/console.css';
import { createRoot } from 'react-dom/client';
import { Console } from './console.tsx';
import { startLanguage } from './language/language.ts';
import { startTheme } from './look/theme.ts';
import { followNewBuild } from './shell/new-build.ts';

followNewBuild();
startTheme();
await startLanguage();
createRoot(document.querySelector('#console')!).render(<Console />);
