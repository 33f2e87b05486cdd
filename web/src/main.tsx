import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./App";
import { showStoredTheme } from "./state/theme";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/parts.css";
import "./styles/fields.css";
import "./styles/controls.css";
import "./styles/charts.css";
import "./styles/views.css";

showStoredTheme();
const root = document.getElementById("root");
if (root) {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}
