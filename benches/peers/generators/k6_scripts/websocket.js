import ws from "k6/ws";
import { Rate, Trend } from "k6/metrics";

export const options = $options;
const answered = new Rate("answered");
const roundTrip = new Trend("round_trip");
const message = open("$message");

export default function () {
  const end = Date.now() + $seconds * 1000;
  ws.connect("ws://$address/", {}, (socket) => {
    let began = 0;
    const send = () => {
      began = Date.now();
      socket.send(message);
    };
    socket.on("open", send);
    socket.on("message", (echo) => {
      const now = Date.now();
      roundTrip.add(now - began);
      answered.add(echo.length === message.length);
      if (now < end) send();
      else socket.close();
    });
  });
}
