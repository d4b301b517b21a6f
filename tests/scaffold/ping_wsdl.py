"""A WSDL with one operation; `format` inserts its `location`."""

WSDL = """<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" targetNamespace="urn:x"
    xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" xmlns:x="urn:x">
  <message name="In"/><message name="Out"/>
  <portType name="P"><operation name="Ping"><input message="x:In"/><output message="x:Out"/>
  </operation></portType>
  <binding name="B" type="x:P">
    <soap:binding transport="http://schemas.xmlsoap.org/soap/http"/>
    <operation name="Ping"><soap:operation soapAction=""/>
      <input><soap:body use="literal"/></input><output><soap:body use="literal"/></output>
    </operation>
  </binding>
  <service name="S"><port name="P" binding="x:B"><soap:address location="{location}"/></port>
  </service>
</definitions>"""
