import { App } from "cdktf";
import { Region } from "./stack";

const app = new App();
new Region(app, "region", { clusters: ["prod-1", "lab-1"] });
app.synth();
