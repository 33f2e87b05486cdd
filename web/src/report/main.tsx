// The script of a report: it chooses among claims that stand in the page already, so that without it nothing is lost.
import { createRoot } from "react-dom/client";
import type { ListedClaim } from "../logic/claims";
import { ThemeButton } from "../parts/ThemeButton";
import { showStoredTheme } from "../state/theme";
import { ReportFilters } from "./ReportFilters";
import "../styles/tokens.css";
import "../styles/parts.css";
import "../styles/fields.css";
import "./report.css";

showStoredTheme();
const written = document.getElementById("claims")?.textContent;
const filters = document.getElementById("claim-filters");
if (written && filters) createRoot(filters).render(<ReportFilters claims={JSON.parse(written) as ListedClaim[]} />);
const theme = document.getElementById("theme");
if (theme) createRoot(theme).render(<ThemeButton />);
